import { describe, expect, test } from 'vitest'
import { useTestServer } from '../../../test/server.ts'
import { INCLUDES } from './query.ts'

const server = useTestServer()

const model = 'openai/gpt-4o-mini'
const every = INCLUDES.map((include) => `include=${include}`).join('&')

const ids = (list: { id: string }[]) => list.map(({ id }) => id)

describe('creating an agent', () => {
  test('what is given comes back as it was given', async () => {
    const { alice } = server
    const body = {
      name: "Ann-Marie O'Neil_2",
      agent_type: 'mem_agent',
      description: 'Helps',
      metadata: { nested: { kept: null }, list: [1, 'two', null] },
      model_settings: {
        provider_type: 'openai',
        temperature: 0.25,
        reasoning: { reasoning_effort: 'low' },
        response_format: { type: 'json_schema', json_schema: { a: 1 } },
      },
      compaction_settings: { mode: 'all', clip_chars: 10, sliding_window_percentage: 0.5 },
      response_format: { type: 'json_object' },
      llm_config: {
        model: 'gpt-4o-mini',
        model_endpoint_type: 'openai',
        context_window: 9000,
        frequency_penalty: -2,
        handle: model,
      },
      embedding_config: {
        embedding_dim: 8,
        embedding_model: 'm',
        embedding_endpoint_type: 'ollama',
        handle: 'ollama/m',
      },
      timezone: 'Europe/Berlin',
      tags: ['b', 'a'],
      max_files_open: 3,
      per_file_view_window_char_limit: 99,
      message_buffer_autoclear: true,
      project_id: 'p',
      template_id: 't',
      base_template_id: 'bt',
      deployment_id: 'd',
      entity_id: 'e',
      system: 'Be kind.',
    }
    const made = await alice.post('/v1/agents/', { ...body, include_base_tools: false })
    expect(made.status).toBe(200)
    expect(made.body).toMatchObject({ ...body, model, embedding: 'ollama/m', tools: [], blocks: [], sources: [] })
    const read = (await alice.get(`/v1/agents/${made.body.id}?${every}`)).body
    expect(read).toEqual(made.body)
  })

  test('everything it names is attached, and nothing of it is left when one thing is missing', async () => {
    const { alice } = server
    const block = (await alice.post('/v1/blocks/', { label: 'shared', value: 'x' })).body
    const folder = (await alice.post('/v1/folders/', { name: 'All of it' })).body
    const identity = (await alice.post('/v1/identities/', { identifier_key: 'k1', name: 'Kay', identity_type: 'user' }))
      .body
    const body = {
      name: 'Whole',
      model,
      memory_blocks: [{ label: 'human', value: 'I am Kay' }],
      block_ids: [block.id],
      folder_ids: [folder.id],
      identity_ids: [identity.id],
      tools: ['web_search'],
      secrets: { TOKEN: 'hush' },
      initial_message_sequence: [{ role: 'user', content: 'Hello' }],
      tool_rules: [{ type: 'run_first', tool_name: 'web_search' }],
    }
    const made = (await alice.post('/v1/agents/', body)).body
    expect(made.blocks.map((one: { label: string }) => one.label)).toEqual(['human', 'shared'])
    expect(made.memory.blocks).toEqual(made.blocks)
    expect(ids(made.sources)).toEqual([folder.id])
    expect(made.identity_ids).toEqual([identity.id])
    expect(made.identities[0].agent_ids).toEqual([made.id])
    expect(made.tools.map((tool: { name: string }) => tool.name)).toContain('web_search')
    expect(made.secrets).toMatchObject([{ key: 'TOKEN', value: 'hush', agent_id: made.id }])
    expect(made.tool_exec_environment_variables).toEqual(made.secrets)
    expect(made.tool_rules).toEqual(body.tool_rules)
    expect(made.message_ids).toHaveLength(2)

    const before = (await alice.get('/v1/blocks/count')).body
    const unknown = 'block-00000000-0000-4000-8000-000000000000'
    const failed = await alice.post('/v1/agents/', { ...body, block_ids: [unknown] })
    expect(failed.status).toBe(404)
    expect(failed.body.detail).toContain(unknown)
    expect((await alice.get('/v1/blocks/count')).body).toBe(before)
    const foreign = await server.bob.post('/v1/agents/', { name: 'Thief', model, block_ids: [block.id] })
    expect(foreign.status).toBe(404)
    expect((await server.bob.get('/v1/agents/count')).body).toBe(0)
  })

  test('a second block of the same label is a conflict', async () => {
    const twice = [
      { label: 'human', value: 'a' },
      { label: 'human', value: 'b' },
    ]
    const reply = await server.alice.post('/v1/agents/', { name: 'Twice', model, memory_blocks: twice })
    expect(reply.status).toBe(409)
    expect(reply.headers['x-should-retry']).toBe('false')
  })

  test.each([
    [{ llm_config: { model: 'm', model_endpoint_type: 'openai', context_window: 1, frequency_penalty: 2.1 } }],
    [
      {
        llm_config: {
          model: 'm',
          model_endpoint_type: 'openai',
          context_window: 1,
          top_logprobs: 21,
          return_logprobs: true,
        },
      },
    ],
    [{ llm_config: { model: 'm', model_endpoint_type: 'openai', context_window: 1, top_logprobs: 3 } }],
    [
      {
        llm_config: {
          model: 'm',
          model_endpoint_type: 'openai',
          context_window: 1,
          enable_reasoner: true,
          max_reasoning_tokens: 1023,
        },
      },
    ],
    [{ llm_config: { model: 'm', model_endpoint_type: 'nobody', context_window: 1 } }],
    [{ model: 'no-slash' }],
    [{ model: 'nobody/model' }],
    [{ model, name: 'line\nbreak' }],
    [{ model, timezone: 'Mars/Olympus' }],
    [{ model, tools: ['no_such_tool'] }],
    [{ model, tool_rules: [{ type: 'exit_loop', tool_name: 'no_such_tool' }] }],
    [{ model, tool_rules: [{ tool_name: 'memory' }] }],
    [{ model, model_settings: { provider_type: 'baseten', strict: true } }],
    [{ model, embedding: 'no-slash' }],
    [{ model, max_files_open: 1001 }],
    [{ model, surprise: 1 }],
  ])('%j is refused, and nothing is made', async (body) => {
    const { alice } = server
    const before = (await alice.get('/v1/agents/count')).body
    const reply = await alice.post('/v1/agents/', body)
    expect(reply.status).toBe(422)
    expect(reply.body.errors.length).toBeGreaterThan(0)
    expect((await alice.get('/v1/agents/count')).body).toBe(before)
  })

  test('every fault is told at once, of a new agent and of a change', async () => {
    const { alice, bob } = server
    const faulty = {
      model: 'nobody/model',
      embedding_config: { embedding_model: '', embedding_endpoint_type: 'openai', embedding_dim: 3 },
      timezone: 'Mars/Olympus',
      tool_rules: [{ type: 'exit_loop', tool_name: 'no_such_tool' }],
    }
    const faults = ['embedding_config', 'model', 'timezone', 'tool_rules[0].tool_name']
    const fieldsOf = ({ status, body }: { status: number; body: { errors?: { field: string }[] } }) => [
      status,
      body.errors?.map(({ field }) => field).toSorted(),
    ]
    const long = { label: 'a', value: 'long', limit: 3 }
    const memory_blocks = [long, { label: 'b', value: 'x' }, { ...long, label: 'c' }]
    const made = await alice.post('/v1/agents/', { ...faulty, tools: ['none'], memory_blocks })
    const blocks = ['memory_blocks[0].value', 'memory_blocks[2].value']
    expect(fieldsOf(made)).toEqual([422, [...faults, ...blocks, 'tools[0]'].toSorted()])
    for (const client of [alice, bob]) {
      const { id } = (await client.post('/v1/agents/', { name: 'Kept', model })).body
      expect(fieldsOf(await client.patch(`/v1/agents/${id}`, { ...faulty, name: 'Changed' }))).toEqual([422, faults])
      expect((await client.get(`/v1/agents/${id}`)).body.name).toBe('Kept')
    }
  })

  test('an agent with sleep-time memory gets a partner that shares its blocks, and they go together', async () => {
    const { alice } = server
    const memory_blocks = [{ label: 'human', value: 'x' }]
    const made = (await alice.post('/v1/agents/', { name: 'Day', model, enable_sleeptime: true, memory_blocks })).body
    expect(made.managed_group).toMatchObject({ manager_type: 'sleeptime', manager_agent_id: made.id })
    expect(made.multi_agent_group).toEqual(made.managed_group)
    const [partnerId] = made.managed_group.agent_ids
    const partner = (await alice.get(`/v1/agents/${partnerId}?${every}`)).body
    expect(partner.agent_type).toBe('sleeptime_agent')
    expect(ids(partner.blocks)).toContain(made.blocks[0].id)
    expect((await alice.delete(`/v1/agents/${made.id}`)).status).toBe(200)
    expect((await alice.get(`/v1/agents/${partnerId}`)).status).toBe(404)
    expect((await alice.get(`/v1/groups/${made.managed_group.id}`)).status).toBe(404)
  })
})

describe('modifying an agent', () => {
  test('given fields change, absent ones stay, null clears, sets are replaced whole', async () => {
    const { alice } = server
    const made = (
      await alice.post('/v1/agents/', {
        name: 'Before',
        model,
        description: 'Old',
        tags: ['x'],
        secrets: { A: '1', B: '2' },
        memory_blocks: [{ label: 'human', value: 'v' }],
      })
    ).body
    const url = `/v1/agents/${made.id}`
    const changed = (
      await alice.patch(url, {
        name: 'After',
        description: null,
        tags: ['y', 'z', 'y'],
        tool_ids: [],
        secrets: { B: '3' },
        hidden: true,
        last_run_completion: '2026-01-02T03:04:05+01:00',
        last_run_duration_ms: 12,
        last_stop_reason: 'end_turn',
        pending_approval: {
          id: 'message-1',
          date: '2026-01-02T03:04:05Z',
          tool_calls: [{ name: 'f', arguments: '{}', tool_call_id: 'c' }],
        },
      })
    ).body
    expect(changed).toMatchObject({
      name: 'After',
      tags: ['y', 'z'],
      tools: [],
      hidden: true,
      last_run_completion: '2026-01-02T02:04:05.000Z',
      last_run_duration_ms: 12,
      last_stop_reason: 'end_turn',
      system: made.system,
      blocks: made.blocks,
      pending_approval: { id: 'message-1' },
    })
    expect(changed).not.toHaveProperty('description')
    expect(changed.secrets.map(({ key, value }: Record<string, string>) => [key, value])).toEqual([['B', '3']])
    expect(changed.secrets[0].id).toBe(made.secrets.find(({ key }: { key: string }) => key === 'B').id)
    expect((await alice.patch(url, { pending_approval: null })).body).not.toHaveProperty('pending_approval')
    expect((await alice.patch(url, { name: null })).status).toBe(422)
    expect((await server.bob.patch(url, { name: 'Mine' })).status).toBe(404)
  })

  test('an empty patch writes nothing; a stale If-Match is refused with the current ETag', async () => {
    const { alice } = server
    const made = await alice.post('/v1/agents/', { name: 'Still', model })
    const url = `/v1/agents/${made.body.id}`
    const same = await alice.patch(url, {})
    expect(same.body.updated_at).toBe(made.body.updated_at)
    const etag = (await alice.get(url)).headers.etag!
    expect((await alice.patch(url, { name: 'Moved' }, { 'if-match': etag })).status).toBe(200)
    const refused = await alice.patch(url, { name: 'Again', tags: ['t'] }, { 'if-match': etag })
    expect(refused.status).toBe(412)
    expect(refused.headers.etag).toBe((await alice.get(url)).headers.etag)
    expect((await alice.get(`${url}?include=agent.tags`)).body).toMatchObject({ name: 'Moved', tags: [] })
  })

  test('another model brings its configuration; single model numbers change in place', async () => {
    const { alice } = server
    const made = (await alice.post('/v1/agents/', { name: 'Switch', model })).body
    const url = `/v1/agents/${made.id}`
    const other = (await alice.patch(url, { model: 'anthropic/claude-x', context_window_limit: 5000 })).body
    expect(other.model).toBe('anthropic/claude-x')
    expect(other.llm_config).toMatchObject({
      model: 'claude-x',
      model_endpoint_type: 'anthropic',
      context_window: 5000,
    })
    const capped = (await alice.patch(url, { max_tokens: 77 })).body
    expect(capped.llm_config).toEqual({ ...other.llm_config, max_tokens: 77 })
    expect((await alice.patch(url, { max_tokens: null })).body.llm_config).toEqual(other.llm_config)
  })

  test('messages it does not have cannot be put in its context', async () => {
    const { alice } = server
    const one = (await alice.post('/v1/agents/', { name: 'One', model })).body
    const two = (await alice.post('/v1/agents/', { name: 'Two', model })).body
    expect((await alice.patch(`/v1/agents/${one.id}`, { message_ids: two.message_ids })).status).toBe(404)
    expect((await alice.patch(`/v1/agents/${one.id}`, { message_ids: [] })).body.message_ids).toEqual([])
  })
})

describe('listing agents', () => {
  test('every filter keeps the agents it names, alone and together, and counts agree', async () => {
    const { alice, bob } = server
    const identity = (k: string) =>
      alice.post('/v1/identities/', { identifier_key: k, name: k, identity_type: 'user' }).then(({ body }) => body.id)
    const [i1, i2] = [await identity('key-1'), await identity('key-2')]
    const make = async (body: object) => (await alice.post('/v1/agents/', { model, ...body })).body.id as string
    const project_id = 'filters'
    const a = await make({
      name: 'Alpha 100',
      tags: ['red', 'blue'],
      identity_ids: [i1, i2],
      project_id,
      template_id: 'T1',
    })
    const b = await make({ name: 'alphabet_', tags: ['red'], identity_ids: [i2], project_id, base_template_id: 'B1' })
    const c = await make({ name: 'Gamma', project_id, hidden: true, tags: ['red'] })
    await alice.patch(`/v1/agents/${b}`, { last_stop_reason: 'cancelled' })
    const me = (await alice.get(`/v1/agents/${a}`)).body.created_by_id
    const cases: [string, string[]][] = [
      ['', [b, a]],
      ['&show_hidden_agents=true', [c, b, a]],
      ['&order=asc', [a, b]],
      ['&ascending=true', [a, b]],
      ['&name=Gamma&show_hidden_agents=1', [c]],
      ['&name=gamma&show_hidden_agents=TRUE', []],
      ['&query_text=ALPHA', [b, a]],
      ['&query_text=%25', []],
      ['&query_text=t_', [b]],
      ['&query_text=a_p', []],
      ['&tags=red', [b, a]],
      ['&tags=red&tags=blue', [b, a]],
      ['&tags=red&tags=blue&tags=red&match_all_tags=true', [a]],
      ['&tags=red,blue', []],
      [`&identity_id=${i1}`, [a]],
      ['&identifier_keys=key-1&identifier_keys=key-2', [b, a]],
      [`&identifier_keys=key-2&identity_id=${i1}`, [a]],
      ['&template_id=T1', [a]],
      ['&base_template_id=B1', [b]],
      ['&last_stop_reason=cancelled', [b]],
      [`&created_by_id=${me}`, [b, a]],
      ['&created_by_id=user-nobody', []],
      ['&tags=red&query_text=bet&last_stop_reason=cancelled', [b]],
    ]
    for (const [search, expected] of cases) {
      const reply = await alice.get(`/v1/agents/?project_id=${project_id}${search}`)
      expect([search, ids(reply.body)]).toEqual([search, expected])
      if (/order|ascending/.test(search)) continue
      const count = await alice.get(`/v1/agents/count?project_id=${project_id}${search}`)
      expect([search, count.body]).toEqual([search, expected.length])
    }
    expect((await bob.get(`/v1/agents/?identity_id=${i1}`)).body).toEqual([])
  })
})
