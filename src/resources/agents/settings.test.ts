import { beforeAll, describe, expect, test } from 'vitest'
import { type Client, useTestServer } from '../../../test/server.ts'

const server = useTestServer()
let alice: Client
beforeAll(() => {
  alice = server.alice
})

const make = async (body: object = {}, client = alice) => {
  const reply = await client.post('/v1/agents/', { name: 'Set', include_base_tools: false, ...body })
  expect([reply.status, reply.body.detail]).toEqual([200, undefined])
  return reply.body
}
const urlOf = ({ id }: { id: string }) => `/v1/agents/${id}`

/** The agent after a change, which must be what is read afterwards, one by one and in a list. */
async function change(agent: { id: string }, body: object, client = alice) {
  const reply = await client.patch(urlOf(agent), body)
  expect([reply.status, reply.body.detail]).toEqual([200, undefined])
  const settings = Object.fromEntries(Object.keys(body).map((key) => [key, reply.body[key]]))
  const [listed] = (await client.get('/v1/agents/?limit=200')).body.filter(({ id }: { id: string }) => id === agent.id)
  for (const read of [(await client.get(urlOf(agent))).body, listed]) {
    for (const key of Object.keys(body)) expect([key, read[key]]).toEqual([key, settings[key]])
  }
  return reply.body
}

const LLM = { model: 'm', model_endpoint_type: 'openai', context_window: 9000 }

/** Settings with nulls in them, and what they are without. */
const NULLS: [string, object, object][] = [
  [
    'model_settings',
    {
      provider_type: 'openai',
      temperature: null,
      strict: false,
      reasoning: { reasoning_effort: null },
      response_format: { type: 'json_schema', json_schema: { default: null, enum: [null, { a: null }] } },
    },
    {
      provider_type: 'openai',
      strict: false,
      reasoning: {},
      response_format: { type: 'json_schema', json_schema: { default: null, enum: [null, { a: null }] } },
    },
  ],
  [
    'llm_config',
    { ...LLM, temperature: null, max_tokens: 0, handle: null, response_format: null, top_logprobs: null },
    { ...LLM, max_tokens: 0 },
  ],
  [
    'compaction_settings',
    {
      mode: 'all',
      prompt: null,
      prompt_acknowledgement: false,
      model_settings: { provider_type: 'google_ai', temperature: null, thinking_config: { thinking_budget: null } },
    },
    {
      mode: 'all',
      prompt_acknowledgement: false,
      model_settings: { provider_type: 'google_ai', thinking_config: {} },
    },
  ],
  [
    'response_format',
    { type: 'json_schema', json_schema: { type: ['string', null], const: null, args: { a: null } } },
    { type: 'json_schema', json_schema: { type: ['string', null], const: null, args: { a: null } } },
  ],
  [
    'embedding_config',
    { embedding_dim: 8, embedding_model: 'm', embedding_endpoint_type: 'ollama', batch_size: null, handle: null },
    { embedding_dim: 8, embedding_model: 'm', embedding_endpoint_type: 'ollama' },
  ],
  [
    'tool_rules',
    [
      { type: 'run_first', tool_name: 'web_search', prompt_template: null, args: { query: null, in: { a: null } } },
      {
        type: 'constrain_child_tools',
        tool_name: 'web_search',
        children: ['run_code'],
        child_arg_nodes: [
          { name: 'run_code', args: { code: null } },
          { name: 'run_code', args: null },
        ],
      },
      { type: 'conditional', tool_name: 'web_search', child_output_mapping: { a: 'run_code' }, default_child: null },
    ],
    [
      { type: 'run_first', tool_name: 'web_search', args: { query: null, in: { a: null } } },
      {
        type: 'constrain_child_tools',
        tool_name: 'web_search',
        children: ['run_code'],
        child_arg_nodes: [{ name: 'run_code', args: { code: null } }, { name: 'run_code' }],
      },
      { type: 'conditional', tool_name: 'web_search', child_output_mapping: { a: 'run_code' } },
    ],
  ],
  [
    'metadata',
    { a: null, b: [null, { c: null }], metadata: { d: null } },
    { a: null, b: [null, { c: null }], metadata: { d: null } },
  ],
]

describe('null inside settings says that there is no value, and is the caller’s own inside what is the caller’s own:', () => {
  test.each(NULLS)('%s at the making of an agent', async (field, given, kept) => {
    expect((await make({ [field]: given }))[field]).toEqual(kept)
  })

  test.each(NULLS)('%s at a change, which a second time changes nothing', async (field, given, kept) => {
    const agent = await make()
    expect((await change(agent, { [field]: given }))[field]).toEqual(kept)
    const { etag } = (await alice.get(urlOf(agent))).headers
    for (const again of [given, kept]) await alice.patch(urlOf(agent), { [field]: again })
    expect((await alice.get(urlOf(agent))).headers.etag).toBe(etag)
  })

  test('pending_approval, which only a change sets', async () => {
    const call = { name: 'f', arguments: '{"a":null}', tool_call_id: 'c' }
    const pending = { id: 'm', date: '2026-01-02T03:04:05Z', tool_call: call }
    const changed = await alice.patch(urlOf(await make()), {
      pending_approval: { ...pending, tool_calls: null, run_id: null, tool_call: { ...call, name: null } },
    })
    const { name, ...nameless } = call
    expect(changed.body.pending_approval).toEqual({ ...pending, tool_call: nameless })
  })

  test('an embedding configuration of a folder, and of an archive', async () => {
    const [, given, kept] = NULLS.find(([field]) => field === 'embedding_config')!
    for (const path of ['/v1/folders/', '/v1/archives/']) {
      const made = await alice.post(path, { name: `Nulls ${path}`, embedding_config: given })
      expect([path, made.body.embedding_config]).toEqual([path, kept])
    }
  })

  test('and never what a setting is, or what it can’t do without', async () => {
    for (const [field, body] of [
      ['model_settings.provider_type', { model_settings: { provider_type: null } }],
      ['llm_config.model', { llm_config: { ...LLM, model: null } }],
      ['llm_config.context_window', { llm_config: { ...LLM, context_window: null } }],
      ['response_format.json_schema', { response_format: { type: 'json_schema', json_schema: null } }],
      ['tool_rules[0].tool_name', { tool_rules: [{ type: 'exit_loop', tool_name: null }] }],
    ] as const) {
      const reply = await alice.post('/v1/agents/', { name: 'Refused', ...body })
      expect([field, reply.status]).toEqual([field, 422])
      expect(reply.body.errors.map((fault: { field: string }) => fault.field)).toContain(field)
    }
  })
})

describe('compaction settings', () => {
  test('are patched field by field: absent fields stay, null takes one away, null for all takes all', async () => {
    const agent = await make({ compaction_settings: { mode: 'all', prompt: 'Sum up', clip_chars: 10 } })
    const patched = async (compaction_settings: object | null) =>
      (await change(agent, { compaction_settings })).compaction_settings
    expect(await patched({ clip_chars: 20 })).toEqual({ mode: 'all', prompt: 'Sum up', clip_chars: 20 })
    expect(await patched({ prompt: null, clip_chars: 0 })).toEqual({ mode: 'all', clip_chars: 0 })
    expect(await patched({})).toEqual({ mode: 'all', clip_chars: 0 })
    expect(await patched({ mode: null, clip_chars: null })).toEqual({})
    expect(await patched(null)).toBeUndefined()
    expect(await patched({ mode: 'sliding_window' })).toEqual({ mode: 'sliding_window' })
  })

  test('hold settings of a model that are replaced whole, as everywhere', async () => {
    const model_settings = { provider_type: 'openai', temperature: 0.5, strict: true }
    const agent = await make({ compaction_settings: { mode: 'all', model_settings } })
    const other = { provider_type: 'anthropic', effort: 'low' }
    const { compaction_settings } = await change(agent, { compaction_settings: { model_settings: other } })
    expect(compaction_settings).toEqual({ mode: 'all', model_settings: other })
  })

  test('that two callers change at once both change', async () => {
    const agent = await make()
    const fields = { mode: 'all', prompt: 'p', clip_chars: 5, prompt_acknowledgement: true }
    await Promise.all(
      Object.entries(fields).map(([key, value]) =>
        alice.patch(urlOf(agent), { compaction_settings: { [key]: value } }),
      ),
    )
    expect((await alice.get(urlOf(agent))).body.compaction_settings).toEqual(fields)
  })

  test('of another organization’s agent are out of reach', async () => {
    const agent = await make({ compaction_settings: { mode: 'all' } })
    const reply = await server.bob.patch(urlOf(agent), { compaction_settings: { mode: null } })
    expect(reply.status).toBe(404)
    expect((await alice.get(urlOf(agent))).body.compaction_settings).toEqual({ mode: 'all' })
  })
})

describe('any other setting', () => {
  test.each<[string, unknown, unknown]>([
    ['metadata', { a: 1, b: 2 }, { a: 3 }],
    ['model_settings', { provider_type: 'openai', strict: true }, { provider_type: 'openai' }],
    ['response_format', { type: 'json_schema', json_schema: { a: 1 } }, { type: 'json_object' }],
    ['llm_config', { ...LLM, handle: 'o/m', temperature: 1 }, { ...LLM, model: 'n' }],
    [
      'embedding_config',
      { embedding_dim: 8, embedding_model: 'm', embedding_endpoint_type: 'ollama', batch_size: 2 },
      { embedding_dim: 9, embedding_model: 'm', embedding_endpoint_type: 'ollama' },
    ],
    [
      'tool_rules',
      [
        { type: 'exit_loop', tool_name: 'web_search' },
        { type: 'run_first', tool_name: 'run_code' },
      ],
      [{ type: 'exit_loop', tool_name: 'run_code' }],
    ],
    ['tags', ['a', 'b'], ['c']],
  ])('is replaced whole: %s', async (field, first, second) => {
    const { bob } = server
    const agent = await make({ [field]: first }, bob)
    expect(agent[field]).toEqual(first)
    const reply = await bob.patch(urlOf(agent), { [field]: second })
    expect(reply.body[field]).toEqual(second)
    expect((await bob.get(`${urlOf(agent)}?include=agent.tags`)).body[field]).toEqual(second)
  })
})

test('a rule that is given for a tool of the agent’s type stands alone, whatever the type has for it', async () => {
  const given = [
    { type: 'exit_loop', tool_name: 'memory' },
    { type: 'continue_loop', tool_name: 'send_message' },
  ]
  for (const client of [server.alice, server.bob]) {
    const { tool_rules } = await make({ agent_type: 'mem_agent', include_base_tools: true, tool_rules: given }, client)
    const of = (name: string) => tool_rules.filter(({ tool_name }: { tool_name: string }) => tool_name === name)
    expect([...of('memory'), ...of('send_message')]).toEqual(given)
    expect(of('core_memory_append')).toEqual([{ type: 'continue_loop', tool_name: 'core_memory_append' }])
  }
})

describe('null for a value an agent always has', () => {
  const DEFAULTS = {
    max_files_open: 10,
    per_file_view_window_char_limit: 25_000,
    message_buffer_autoclear: false,
    timezone: 'UTC',
  }

  test('is its default when the agent is made, as if it were not there', async () => {
    const absent = await make()
    const fields = [
      ...Object.keys(DEFAULTS),
      'model',
      'llm_config',
      'agent_type',
      'tags',
      'system',
      'context_window_limit',
    ]
    const nulls = await make(Object.fromEntries(fields.map((field) => [field, null])))
    const own = ['id', 'created_at', 'updated_at', 'message_ids']
    for (const field of own) for (const agent of [absent, nulls]) delete agent[field]
    expect(nulls).toEqual(absent)
    expect(nulls).toMatchObject({ ...DEFAULTS, agent_type: 'svc_v1_agent', tags: [] })
    expect(nulls).toMatchObject({
      model: 'openai/gpt-5-mini',
      llm_config: { handle: 'openai/gpt-5-mini', model: 'gpt-5-mini', context_window: 128_000 },
    })
  })

  test.each([
    ['max_files_open', 3],
    ['per_file_view_window_char_limit', 99],
    ['message_buffer_autoclear', true],
    ['timezone', 'Europe/Berlin'],
  ] as const)('is its default at a change too, and is answered: %s', async (field, other) => {
    const agent = await make({ [field]: other })
    expect(agent[field]).toBe(other)
    expect((await change(agent, { [field]: null }))[field]).toBe(DEFAULTS[field])
  })

  test.each([
    [8_000, 3, 5_000],
    [8_001, 5, 15_000],
    [32_000, 5, 15_000],
    [128_000, 10, 25_000],
    [200_000, 10, 40_000],
    [200_001, 15, 40_000],
  ])('goes by the context window the agent has then: %d tokens', async (context_window, files, characters) => {
    const limits = { max_files_open: files, per_file_view_window_char_limit: characters }
    const nulls = { max_files_open: null, per_file_view_window_char_limit: null }
    const llm_config = { ...LLM, context_window }
    expect(await make({ llm_config, ...nulls })).toMatchObject(limits)
    const agent = await make({ max_files_open: 7, per_file_view_window_char_limit: 7 })
    expect(await change(agent, { context_window_limit: context_window })).toMatchObject({ max_files_open: 7 })
    expect(await change(agent, nulls)).toMatchObject(limits)
    const at_once = await make({ max_files_open: 7 })
    expect(await change(at_once, { llm_config, max_files_open: null })).toMatchObject({ max_files_open: files })
  })

  test('is the agent’s own default where its type has one', async () => {
    const agent = await make({ agent_type: 'workflow_agent', message_buffer_autoclear: null })
    expect(agent.message_buffer_autoclear).toBe(true)
    await change(agent, { message_buffer_autoclear: false })
    expect((await change(agent, { message_buffer_autoclear: null })).message_buffer_autoclear).toBe(true)
  })

  test('as its model leaves it the configured one, under that one’s handle', async () => {
    const agent = await make({ model: 'anthropic/claude-x' })
    const { etag } = (await alice.get(urlOf(agent))).headers
    expect((await change(agent, { model: null })).model).toBe('anthropic/claude-x')
    expect((await alice.get(urlOf(agent))).headers.etag).toBe(etag)
    const configured = await change(agent, { model: null, llm_config: LLM })
    expect(configured).toMatchObject({ model: 'openai/m', llm_config: LLM })
  })

  test('as a single number of its model takes the number away; the window, which is always there, stays', async () => {
    const agent = await make({ max_tokens: 7, parallel_tool_calls: true, context_window_limit: 5000 })
    expect(agent.llm_config).toMatchObject({ max_tokens: 7, parallel_tool_calls: true, context_window: 5000 })
    const { body } = await alice.patch(urlOf(agent), {
      max_tokens: null,
      parallel_tool_calls: null,
      context_window_limit: null,
    })
    const { max_tokens, parallel_tool_calls, ...rest } = agent.llm_config
    expect(body.llm_config).toEqual(rest)
  })

  test('as its tags, its messages, its blocks, tools, identities or secrets is none of them', async () => {
    const identity = (await alice.post('/v1/identities/', { identifier_key: 'n', name: 'N', identity_type: 'user' }))
      .body
    const agent = await make({
      tags: ['t'],
      tools: ['web_search'],
      memory_blocks: [{ label: 'human', value: '' }],
      identity_ids: [identity.id],
      secrets: { A: '1' },
    })
    const { body } = await alice.patch(urlOf(agent), {
      tags: null,
      message_ids: null,
      block_ids: null,
      tool_ids: null,
      identity_ids: null,
      secrets: null,
    })
    expect(body).toMatchObject({
      tags: [],
      message_ids: [],
      blocks: [],
      memory: { blocks: [] },
      tools: [],
      identities: [],
      identity_ids: [],
      secrets: [],
    })
  })

  test('is a 422 for what has neither a default nor a way to be without', async () => {
    const agent = await make()
    const reply = await alice.patch(urlOf(agent), { name: null, system: null, llm_config: null })
    expect(reply.status).toBe(422)
    expect(reply.body.errors.map((fault: { field: string }) => fault.field).sort()).toEqual([
      'llm_config',
      'name',
      'system',
    ])
  })
})
