import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { exported, imported, importFile, type Json, timeless } from '../../../test/agent-export.ts'
import { richAgent, SAID, SECRET } from '../../../test/rich-agent.ts'
import { rowsOf } from '../../../test/rows.ts'
import { type Client, useTestServer } from '../../../test/server.ts'
import { startMcp } from '../../../test/stand-ins/mcp.ts'

const server = useTestServer()
let alice: Client
let bob: Client
beforeAll(() => {
  alice = server.alice
  bob = server.bob
})

const INCLUDES = ['blocks', 'managed_group', 'secrets', 'sources', 'tags', 'tools']
  .map((name) => `include=agent.${name}`)
  .join('&')

describe('an agent with everything', () => {
  let agent: Json
  let first: Json
  let ids: string[]
  beforeAll(async () => {
    agent = await richAgent(server, 'ada')
    first = await exported(alice, agent.id)
    ids = await imported(bob, first)
  })

  test('is the same after export, import into another organization, and export', async () => {
    expect(timeless(await exported(bob, ids[0]!))).toEqual(timeless(first))
    // In its own organization a folder needs a name of its own: nothing else differs.
    const [own] = await imported(alice, first)
    const again = await exported(alice, own!)
    expect(again.sources[0].name).toBe('ada papers (2)')
    again.sources[0].name = first.sources[0].name
    expect(timeless(again)).toEqual(timeless(first))
  })

  test('takes along the groups it manages, their members, the partner that manages its memory, and all they have', () => {
    const names = first.agents.map(({ name }: Json) => name)
    expect(names[0]).toBe('ada')
    expect(names.slice(1).sort()).toEqual(['ada helper', 'ada-sleeptime'])
    expect(first.groups.map(({ manager_config }: Json) => manager_config.manager_type).sort()).toEqual([
      'dynamic',
      'sleeptime',
    ])
    expect(first.blocks.map(({ label }: Json) => label)).toEqual([
      'human',
      'persona',
      'shared',
      'endless',
      'memory_persona',
    ])
    expect(first.tools.map(({ tool_type }: Json) => tool_type)).toEqual(
      expect.arrayContaining([
        'custom',
        'letta_core',
        'letta_memory_core',
        'letta_multi_agent_core',
        'letta_builtin',
        'letta_files_core',
        'letta_sleeptime_core',
      ]),
    )
    expect(first.files.map(({ content }: Json) => content)).toEqual(['The text of plan.txt.', 'The text of map.md.'])
    expect(first.agents[0].messages).toHaveLength(2 + SAID.length)
    expect(first.agents[0].in_context_message_ids).toHaveLength(SAID.length)
  })

  test('names nothing by an id of this server, and has no null of ours', () => {
    const text = JSON.stringify({ ...first, agents: first.agents.map(({ metadata: _, ...rest }: Json) => rest) })
    expect(text).not.toMatch(/-[0-9a-f]{8}-[0-9a-f]{4}-/)
    expect(text).not.toContain('away')
  })

  test('bears the names other programs know', () => {
    expect(first.agents[0].agent_type).toBe('memgpt_agent')
    expect(first.sources[0].embedding_config).toMatchObject({
      azure_endpoint: 'https://example.com',
      azure_deployment: 'ada-1',
    })
    expect(JSON.stringify(first.sources)).not.toContain('cloud_')
  })

  test('keeps its secrets to itself', async () => {
    expect(JSON.stringify(first)).not.toContain(SECRET)
    expect(first.agents[0].secrets).toEqual({ TOKEN: '', OTHER: '' })
    const { body } = await bob.get(`/v1/agents/${ids[0]}?include=agent.secrets`)
    expect(body.secrets.map(({ key, value }: Json) => [key, value])).toEqual([
      ['TOKEN', ''],
      ['OTHER', ''],
    ])
    expect(JSON.stringify(await rowsOf(server.database, server.organizations.bob))).not.toContain(SECRET)
  })

  test('is the same resource in the other organization, but for ids, times and people', async () => {
    const own = /^(id|.*_ids?|.*_at|.*by_id|value_enc|secrets|tool_exec.*|multi_agent_group|turns_counter)$/
    const plain = (value: Json): Json =>
      Array.isArray(value)
        ? value.map(plain)
        : value === null || typeof value !== 'object'
          ? value
          : Object.fromEntries(
              Object.entries(value)
                .filter(([key]) => !own.test(key))
                .map(([key, inner]) => [key, plain(inner)]),
            )
    const hers = (await alice.get(`/v1/agents/${agent.id}?${INCLUDES}`)).body
    const his = (await bob.get(`/v1/agents/${ids[0]}?${INCLUDES}`)).body
    expect(his.enable_sleeptime).toBe(true)
    const endless = (block: Json) => (block.label === 'endless' ? { ...block, limit: 2_147_483_647 } : block)
    for (const one of [hers, hers.memory]) one.blocks = one.blocks.map(endless)
    // Files are blocks of ids of their own; the server that has the agent says so.
    expect(plain(his)).toEqual(plain(hers))
  })

  test('keeps its conversation: order, instants, and what refers to what', async () => {
    const { message_ids } = (await bob.get(`/v1/agents/${ids[0]}`)).body
    const { rows } = await sql<Json>`select * from messages where agent_id = ${ids[0]} order by created_at, id`.execute(
      server.database.kysely,
    )
    const said = rows.slice(0, SAID.length)
    expect(said.map(({ role, content }: Json) => ({ role, content }))).toEqual(
      SAID.map(({ role, content }) => ({ role, content })),
    )
    expect(said[0].created_at).toBe('2025-01-01T00:00:00.000Z')
    expect(said[1].tool_calls).toEqual(SAID[1]!.tool_calls)
    expect(said[3].approval_request_id).toBe(said[1].id)
    expect(said[0].sender_id).toBe(ids[0])
    expect(said[0].group_id).toMatch(/^group-/)
    expect(message_ids.slice(1)).toEqual(said.filter((_: Json, n: number) => n !== 2).map(({ id }: Json) => id))
  })

  test('has in its history what it was given', async () => {
    const { rows } =
      await sql<Json>`select operation, links, resource from revisions where resource_id = ${ids[0]}`.execute(
        server.database.kysely,
      )
    expect(rows).toHaveLength(1)
    const { blocks, tools } = (await bob.get(`/v1/agents/${ids[0]}?${INCLUDES}`)).body
    const added = Object.fromEntries(rows[0].links.map((link: Json) => [link.table, link.added]))
    expect(added.agents_blocks).toEqual(blocks.map(({ id }: Json) => id))
    expect(added.agents_tools).toEqual(tools.map(({ id }: Json) => id))
    expect(added.agent_environment_variables).toEqual(['TOKEN', 'OTHER'])
    const texts = await sql<Json>`select resource from revisions where kind = 'file'`.execute(server.database.kysely)
    expect(texts.rows.length).toBeGreaterThan(0)
    expect(JSON.stringify(texts.rows)).not.toContain('The text of')
  })

  test('belongs to whoever imports it, and to nobody else', async () => {
    for (const id of ids) expect((await alice.get(`/v1/agents/${id}`)).status).toBe(404)
    expect((await bob.get(`/v1/agents/${agent.id}/export`)).status).toBe(404)
    const { tools } = (await bob.get(`/v1/agents/${ids[0]}?${INCLUDES}`)).body
    for (const { id } of tools) expect((await bob.get(`/v1/tools/${id}`)).status).toBe(200)
  })

  test('can be exported without its messages, and begins anew', async () => {
    const bare = await exported(alice, agent.id, '?scrub_messages=true')
    expect(
      bare.agents.flatMap(({ messages, in_context_message_ids }: Json) => [...messages, ...in_context_message_ids]),
    ).toEqual([])
    const [id] = await imported(bob, bare)
    const { agents } = await exported(bob, id!)
    expect(agents[0].messages.map(({ role, content }: Json) => [role, content[0].text])).toEqual([
      ['system', 'You look into boxes.'],
    ])
    expect(agents[0].in_context_message_ids).toEqual(['message-0'])
  })

  test('can be exported with its last steps and what is in context alone', async () => {
    const rolesOf = async (steps: number) =>
      (await exported(alice, agent.id, `?max_steps=${steps}`)).agents[0].messages.map(({ role }: Json) => role)
    // What was said last, "Hello", is the last step; the tool's return is out of context.
    expect(await rolesOf(1)).toEqual(['user', 'assistant', 'approval', 'assistant', 'system', 'user'])
    expect(await rolesOf(2)).toEqual(['user', 'assistant', 'tool', 'approval', 'assistant', 'system', 'user'])
  })
})

test('a tool of another server or framework is kept as it is, with its type', async () => {
  const types = ['external_mcp', 'external_composio', 'external_langchain']
  const file = {
    agents: [{ id: 'agent-0', name: 'Connected', tool_ids: ['tool-0', 'tool-1', 'tool-2'] }],
    tools: types.map((tool_type, n) => ({
      id: `tool-${n}`,
      name: `far_${n}`,
      tool_type,
      json_schema: { name: `far_${n}`, parameters: { type: 'object' } },
      tags: ['mcp:far'],
    })),
  }
  const [hers] = await imported(alice, file)
  const first = await exported(alice, hers!)
  expect(first.tools.map(({ tool_type }: Json) => tool_type)).toEqual(types)
  const [his] = await imported(bob, first)
  expect(timeless(await exported(bob, his!))).toEqual(timeless(first))
})

test('the MCP servers of an agent’s tools are in its file without secrets, and are matched by their names', async () => {
  const standIn = await startMcp()
  const make = async (client: Client) => {
    const config = { server_url: `${standIn.url}/mcp?key=hush`, auth_token: 'hush' }
    const one = (await client.post('/v1/mcp-servers/', { server_name: 'filed', config })).body
    return { server: one.id, ...(await client.get(`/v1/mcp-servers/${one.id}/tools`)).body[0] }
  }
  const echo = await make(alice)
  const { id } = (await alice.post('/v1/agents/', { name: 'Caller', tool_ids: [echo.id], include_base_tools: false }))
    .body
  const file = await exported(alice, id)
  expect(file.mcp_servers).toEqual([
    {
      ...{ id: 'mcp_server-0', server_type: 'streamable_http', server_name: 'filed' },
      server_url: `${standIn.url}/mcp`,
    },
  ])
  expect(JSON.stringify(file)).not.toContain('hush')
  // Some services have a token in the path.
  const config = { mcp_server_type: 'streamable_http', server_url: `${standIn.url}/s/hush42/mcp` }
  expect((await alice.patch(`/v1/mcp-servers/${echo.server}`, { config })).status).toBe(200)
  expect((await exported(alice, id)).mcp_servers[0].server_url).toBe(standIn.url)
  const his = await make(bob)
  const warnings = (await importFile(bob, file)).body.warnings ?? []
  expect(warnings.join()).not.toContain('mcp_servers')
  const [again] = await imported(bob, file)
  expect((await bob.get(`/v1/agents/${again}/tools`)).body).toMatchObject([{ id: his.id, tags: ['mcp:filed'] }])
  await standIn.close()
})
