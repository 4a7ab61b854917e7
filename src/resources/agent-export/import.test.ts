import { describe, expect, test } from 'vitest'
import { exported, imported, importFile, type Json, timeless } from '../../../test/agent-export.ts'
import { useTestServer } from '../../../test/server.ts'

const server = useTestServer()

const INCLUDES = ['blocks', 'secrets', 'sources', 'tags', 'tools', 'managed_group']
  .map((name) => `include=agent.${name}`)
  .join('&')
const agentOf = async (id: string): Promise<Json> => (await server.alice.get(`/v1/agents/${id}?${INCLUDES}`)).body

let count = 0
/** A name nothing else has. */
const fresh = (what: string) => `${what}_${++count}`

const tool = (name: string, source_code: string, more: object = {}) => ({
  id: 'tool-0',
  name,
  tool_type: 'custom',
  source_type: 'python',
  source_code,
  json_schema: { name, description: 'Does it.' },
  ...more,
})

const fileOf = (agent: object, parts: object = {}) => ({
  agents: [{ id: 'agent-0', name: 'Imported', ...agent }],
  ...parts,
})

const toolNamed = async (name: string) => {
  const { body, headers } = await server.alice.get(`/v1/tools/?name=${name}`)
  expect([body.length, headers.link]).toEqual([1, undefined])
  return server.alice.get(`/v1/tools/${body[0].id}`)
}

describe('a tool of a file', () => {
  test('changes the organization’s tool of that name, unless it is asked not to', async () => {
    const name = fresh('tool')
    const file = (source: string) => fileOf({ tool_ids: ['tool-0'] }, { tools: [tool(name, source)] })
    const [first] = await imported(server.alice, file('# one'))
    const [second] = await imported(server.alice, file('# two'), { override_existing_tools: 'false' })
    const kept = await toolNamed(name)
    expect([kept.body.source_code, kept.headers.etag]).toEqual(['# one', '"1"'])
    const [third] = await imported(server.alice, file('# three'))
    const changed = await toolNamed(name)
    expect([changed.body.source_code, changed.body.id, changed.headers.etag]).toEqual(['# three', kept.body.id, '"2"'])
    for (const id of [first, second, third])
      expect((await agentOf(id!)).tools.map(({ id }: Json) => id)).toEqual([kept.body.id])
    // The same again is no change.
    await imported(server.alice, file('# three'))
    expect((await toolNamed(name)).headers.etag).toBe('"2"')
  })

  test('is the organization’s own where it is a built-in one, whatever the file says of it', async () => {
    const before = await toolNamed('web_search')
    const builtin = { ...tool('web_search', 'evil()'), tool_type: 'letta_builtin' }
    const [id] = await imported(server.alice, fileOf({ tool_ids: ['tool-0'] }, { tools: [builtin] }))
    expect((await agentOf(id!)).tools).toEqual([before.body])
    const disguised = await importFile(
      server.alice,
      fileOf({ tool_ids: ['tool-0'] }, { tools: [tool('web_search', 'evil()')] }),
    )
    expect(disguised.body.warnings).toEqual([
      'tools[0] "web_search": left out, as it is the name of a built-in tool, which was taken instead',
    ])
    expect(await toolNamed('web_search')).toMatchObject({ body: before.body, headers: { etag: before.headers.etag } })
  })

  test('is left out, and told of, where it is a built-in one this server lacks', async () => {
    const flute = { ...tool('play_flute', ''), tool_type: 'letta_core' }
    const { status, body } = await importFile(
      server.alice,
      fileOf(
        { tool_ids: ['tool-0'], tool_rules: [{ type: 'exit_loop', tool_name: 'play_flute' }] },
        { tools: [flute] },
      ),
    )
    expect([status, body.warnings]).toEqual([
      200,
      ['tools[0] "play_flute": left out, as this server has no built-in tool of that name'],
    ])
    const agent = await agentOf(body.agent_ids[0])
    expect([agent.tools, agent.tool_rules]).toEqual([[], [{ type: 'exit_loop', tool_name: 'play_flute' }]])
  })

  test('is another organization’s own affair', async () => {
    const name = fresh('tool')
    await imported(server.alice, fileOf({ tool_ids: ['tool-0'] }, { tools: [tool(name, '# hers')] }))
    await imported(server.bob, fileOf({ tool_ids: ['tool-0'] }, { tools: [tool(name, '# his')] }))
    expect((await toolNamed(name)).body.source_code).toBe('# hers')
  })

  test('can be asked for by name, and with the tools of the agent’s type', async () => {
    const [id] = await imported(
      server.alice,
      fileOf({ tools: ['web_search'], include_base_tools: true, agent_type: 'memgpt_v2_agent' }),
    )
    expect((await agentOf(id!)).tools.map(({ name }: Json) => name)).toEqual([
      'web_search',
      'send_message',
      'conversation_search',
      'memory_replace',
      'memory_insert',
    ])
    const [bare] = await imported(server.alice, fileOf({}))
    expect((await agentOf(bare!)).tools).toEqual([])
  })
})

describe('a file', () => {
  test('of the older format, of one agent, is imported', async () => {
    const at = '2025-03-01T10:00:00.123456+00:00'
    const name = fresh('older')
    const { status, body } = await importFile(server.alice, {
      agent_type: 'memgpt_agent',
      core_memory: [
        {
          label: 'human',
          value: 'Ann',
          limit: 5000,
          is_template: false,
          metadata_: { a: 1 },
          created_at: at,
          updated_at: at,
          description: null,
          template_name: null,
        },
      ],
      created_at: at,
      updated_at: at,
      description: 'Old',
      embedding_config: {
        embedding_model: 'e',
        embedding_endpoint_type: 'openai',
        embedding_dim: 3,
        azure_endpoint: null,
        azure_version: null,
        azure_deployment: null,
      },
      groups: [],
      in_context_message_indices: [1, 0],
      llm_config: {
        model: 'gpt-4',
        model_endpoint_type: 'openai',
        model_endpoint: null,
        context_window: 8192,
        put_inner_thoughts_in_kwargs: true,
      },
      message_buffer_autoclear: false,
      messages: [
        {
          created_at: at,
          group_id: null,
          model: null,
          name: null,
          role: 'system',
          content: [{ type: 'text', text: 'S' }],
          tool_call_id: null,
          tool_calls: [],
          tool_returns: [],
          updated_at: at,
        },
        { created_at: at, role: 'user', text: 'U', tool_calls: [], tool_returns: [] },
      ],
      metadata_: { old: true },
      multi_agent_group: null,
      name: 'Veteran',
      system: 'S',
      tags: [{ tag: 'x' }, { tag: 'y' }],
      tool_exec_environment_variables: [{ created_at: at, updated_at: at, description: null, key: 'KEY', value: 'v' }],
      tool_rules: [
        { tool_name: name, type: 'InitToolRule' },
        { tool_name: 'send_message', type: 'TerminalToolRule' },
      ],
      tools: [
        {
          args_json_schema: null,
          created_at: at,
          description: 'd',
          json_schema: { name, parameters: {} },
          name,
          return_char_limit: 5,
          source_code: '#',
          source_type: 'python',
          tags: [],
          tool_type: 'custom',
          updated_at: at,
          metadata_: {},
        },
        {
          args_json_schema: null,
          created_at: at,
          description: 'd',
          json_schema: { name: 'send_message' },
          name: 'send_message',
          return_char_limit: 5,
          source_code: null,
          source_type: 'python',
          tags: [],
          tool_type: 'letta_core',
          updated_at: at,
        },
      ],
      version: '0.6.47',
    })
    expect([status, body.warnings]).toEqual([200, undefined])
    const agent = await agentOf(body.agent_ids[0])
    expect(agent).toMatchObject({
      name: 'Veteran',
      agent_type: 'mem_agent',
      tags: ['x', 'y'],
      metadata: { old: true },
      tool_rules: [
        { type: 'run_first', tool_name: name },
        { type: 'exit_loop', tool_name: 'send_message' },
      ],
      blocks: [{ label: 'human', value: 'Ann', limit: 5000, metadata: { a: 1 } }],
    })
    expect(agent.tools.map((one: Json) => one.name)).toEqual([name, 'send_message'])
    expect(agent.secrets).toMatchObject([{ key: 'KEY', value: 'v' }])
    const [file] = (await exported(server.alice, agent.id)).agents
    expect(file.messages.map(({ role, content, created_at }: Json) => [role, content[0].text, created_at])).toEqual([
      ['system', 'S', '2025-03-01T10:00:00.123Z'],
      ['user', 'U', '2025-03-01T10:00:00.123Z'],
    ])
    expect(file.in_context_message_ids).toEqual(['message-1', 'message-0'])
  })

  test('with what there is no place for is imported without it, and says so', async () => {
    const { status, body } = await importFile(server.alice, {
      ...fileOf({
        wings: 2,
        nothing: null,
        llm_config: { model: 'm', model_endpoint_type: 'openai', context_window: 9, halo: 'gold' },
      }),
      mcp_servers: [
        {
          id: 'mcp_server-0',
          server_type: 'sse',
          server_name: 'far',
          server_url: 'https://example.com',
          token: 'hush',
        },
      ],
      skills: [{ name: 'pdf', files: {} }],
    })
    expect(status).toBe(200)
    expect(body.warnings).toEqual([
      'skills[0] "pdf": left out, as skills can\'t be imported yet',
      'agents[0].wings: left out, as there is no place for it here',
      'agents[0].llm_config.halo: left out, as there is no place for it here',
      'mcp_servers[0] "far": left out, as an agent file brings no secrets: make an MCP server of this name, and import the file again',
    ])
    expect(JSON.stringify(await exported(server.alice, body.agent_ids[0]))).not.toContain('hush')
  })

  test('in a string in a string is read like any other', async () => {
    const text = JSON.stringify(JSON.stringify(JSON.stringify(fileOf({}))))
    expect((await importFile(server.alice, text)).status).toBe(200)
    expect((await importFile(server.alice, `\ufeff${JSON.stringify(fileOf({}))}`)).status).toBe(200)
  })

  test('with keys that mean something to the language and nothing to us does no harm', async () => {
    const text =
      '{"agents": [{"id": "agent-0", "name": "Proto", "__proto__": {"tags": ["x"]}, "constructor": {"a": 1}}], "__proto__": {}}'
    const { status, body } = await importFile(server.alice, text)
    expect(status).toBe(200)
    expect((await agentOf(body.agent_ids[0])).tags).toEqual([])
  })

  test('with ids of any form, and without what can be left out, is imported', async () => {
    const [id] = await imported(server.alice, { agents: [{ id: 'agent-0a1b' }], blocks: null, groups: null })
    expect((await agentOf(id!)).name).toMatch(/^[A-Z][a-z]+[A-Z][a-z]+$/)
  })
})

test('many imports at once of one file all succeed, and share its tools', async () => {
  const [name, folder] = [fresh('tool'), fresh('folder')]
  const file = fileOf(
    { tool_ids: ['tool-0'], source_ids: ['source-0'] },
    { tools: [tool(name, '# same')], sources: [{ id: 'source-0', name: folder }] },
  )
  const replies = await Promise.all(Array.from({ length: 8 }, () => importFile(server.alice, file)))
  expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200))
  const agents = await Promise.all(replies.map(({ body }) => agentOf(body.agent_ids[0])))
  expect(new Set(agents.map(({ tools }) => tools[0].id)).size).toBe(1)
  const names = agents.map(({ sources }) => sources[0].name).sort()
  expect(names).toEqual([folder, ...[2, 3, 4, 5, 6, 7, 8].map((n) => `${folder} (${n})`)])
})

test('two folders of one name in one file get names of their own', async () => {
  const name = fresh('folder')
  const sources = [0, 1, 2].map((n) => ({ id: `source-${n}`, name }))
  const [id] = await imported(server.alice, fileOf({ source_ids: ['source-0', 'source-1', 'source-2'] }, { sources }))
  expect((await agentOf(id!)).sources.map((source: Json) => source.name)).toEqual([name, `${name} (2)`, `${name} (3)`])
})

test('a key that may only read exports and can’t import; one that may only write imports', async () => {
  const [reader, writer] = [await server.withScopes('read'), await server.withScopes('write')]
  const [id] = await imported(writer, fileOf({}))
  expect((await importFile(reader, fileOf({}))).status).toBe(403)
  expect(timeless(await exported(reader, id!))).toEqual(timeless(await exported(server.alice, id!)))
})

test('an export that can’t be had is refused', async () => {
  const [id] = await imported(server.alice, fileOf({}))
  const legacy = await server.alice.get(`/v1/agents/${id}/export?use_legacy_format=true`)
  expect([legacy.status, legacy.body.detail]).toEqual([422, 'use_legacy_format: must be one of false.'])
  expect((await server.alice.get(`/v1/agents/${id}/export?use_legacy_format=false`)).status).toBe(200)
  const unknown = `agent-${id!.slice(6, -4)}0000`
  expect((await server.alice.get(`/v1/agents/${unknown}/export`)).status).toBe(404)
  const { headers } = await server.alice.get(`/v1/agents/${id}/export`)
  expect(headers['content-disposition']).toBe(`attachment; filename="agent.af"; filename*=UTF-8''Imported.af`)
})

test('the files of an agent file are found by a search, as uploaded ones are', async () => {
  const source = { id: 'source-0', name: fresh('papers') }
  const texts = { id: 'file-0', source_id: 'source-0', file_name: 'a.md', content: 'The bakery opens at seven.' }
  const unread = { id: 'file-1', source_id: 'source-0', file_name: 'b.md' }
  const [id] = await imported(
    server.alice,
    fileOf({ source_ids: ['source-0'] }, { sources: [source], files: [texts, unread] }),
  )
  const [folder] = (await agentOf(id!)).sources
  await server.settle()
  const files = (await server.alice.get(`/v1/folders/${folder.id}/files?order=asc`)).body
  expect(files.map(({ processing_status, total_chunks }: Json) => [processing_status, total_chunks])).toEqual([
    ['completed', 1],
    ['pending', undefined],
  ])
  const body = { query: 'when does the bakery open', folder_id: folder.id }
  const found = (await server.alice.post('/v1/passages/search', body)).body
  expect(found.map(({ passage }: Json) => passage.text)).toEqual([texts.content])
})

test('files that are sent at once are all imported, and one that is refused harms no other', async () => {
  const names = Array.from({ length: 12 }, () => fresh('At once '))
  const answers = await Promise.all(
    names.map((name, n) => importFile(server.alice, n % 4 === 3 ? '{' : fileOf({ name }))),
  )
  expect(answers.map(({ status }) => status)).toEqual(names.map((_, n) => (n % 4 === 3 ? 400 : 200)))
  for (const [n, { body }] of answers.entries()) {
    if (n % 4 !== 3) expect((await agentOf(body.agent_ids[0])).name).toBe(names[n])
  }
})
