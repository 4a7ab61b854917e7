import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Client, useTestServer } from '../../../test/server.ts'
import { type StandIn, startMcp } from '../../../test/stand-ins/mcp.ts'
import { programOf } from '../../../test/stand-ins/mcp-program.ts'
import { callTool } from '../../../test/tool-calls.ts'
import type { McpPrograms } from '../../lib/mcp-programs.ts'
import { createSandbox } from '../../sandbox/open.ts'

const server = useTestServer({ defaultModel: 'cairn/scripted' })

const probe = createSandbox({ mode: 'auto', dataDir: '/nowhere', packageIndexes: { pip: '', npm: '' } })
const runs = (await probe.opened()).kind !== 'none'
await probe.close()

let standIn: StandIn
beforeEach(async () => {
  standIn = await startMcp()
})
afterEach(() => standIn.close())

let made = 0

/** Makes an MCP server of the stand-in, under a name of its own. */
async function create(client: Client, config: object = {}, server_name = `server ${++made}`) {
  const reply = await client.post('/v1/mcp-servers/', {
    server_name,
    config: { server_url: `${standIn.url}/mcp`, ...config },
  })
  expect(reply.status, JSON.stringify(reply.body)).toBe(200)
  return reply.body
}

const urlOf = ({ id }: { id: string }) => `/v1/mcp-servers/${id}`
const toolsOf = async (client: Client, made: { id: string }) => (await client.get(`${urlOf(made)}/tools`)).body
const toolOf = async (client: Client, made: { id: string }, name: string) =>
  (await toolsOf(client, made)).find((tool: { metadata_: object; name: string }) => tool.name.endsWith(name))

const run = (client: Client, made: { id: string }, toolId: string, args: object) =>
  client.post(`${urlOf(made)}/tools/${toolId}/run`, { args })

describe('an MCP server', () => {
  test('is created with its tools, retrieved, listed, modified and deleted, and its tools with it', async () => {
    const { alice } = server
    const one = await create(alice, { auth_token: 'secret', custom_headers: { 'X-Team': 'blue' } }, 'first')
    expect(one).toMatchObject({
      server_name: 'first',
      mcp_server_type: 'streamable_http',
      server_url: `${standIn.url}/mcp`,
      auth_token: 'secret',
      custom_headers: { 'X-Team': 'blue' },
      last_synced: expect.any(String),
    })
    expect(one).not.toHaveProperty('sync_error')
    expect((await alice.get(urlOf(one))).body).toEqual(one)
    expect((await alice.get('/v1/mcp-servers/')).body).toContainEqual(one)
    const tools = await toolsOf(alice, one)
    expect(tools.map(({ name }: { name: string }) => name)).toEqual(['echo', 'add', 'look', 'fail'])
    expect(tools[0]).toMatchObject({
      tool_type: 'external_mcp',
      tags: ['mcp:first'],
      description: 'Echoes back the input string',
      json_schema: { parameters: { required: ['message'] }, 'mcp:SCHEMA_STATUS': 'STRICT_COMPLIANT' },
      metadata_: { mcp: { server_name: 'first', server_id: one.id, annotations: { readOnlyHint: true } } },
    })
    expect((await alice.get(`${urlOf(one)}/tools/${tools[0].id}`)).body).toEqual(tools[0])

    const renamed = await alice.patch(urlOf(one), { server_name: 'second' })
    expect(renamed.body).toMatchObject({ server_name: 'second', auth_token: 'secret' })
    expect((await toolsOf(alice, one))[0]).toMatchObject({
      tags: ['mcp:second'],
      metadata_: { mcp: { server_name: 'second' } },
    })

    const agent = (await alice.post('/v1/agents/', { name: 'A', tool_ids: [tools[0].id] })).body
    expect((await alice.delete(urlOf(one))).status).toBe(204)
    expect((await alice.get(urlOf(one))).status).toBe(404)
    expect((await alice.get(`/v1/tools/${tools[0].id}`)).status).toBe(404)
    expect((await alice.get(`/v1/agents/${agent.id}/tools`)).body).not.toContainEqual(tools[0])
  })

  test('has a name of its own: another with the name is refused, and a rename to the name deletes nothing', async () => {
    const { alice, bob } = server
    const [one, two] = [await create(alice), await create(alice)]
    const config = { server_url: `${standIn.url}/mcp` }
    expect((await alice.post('/v1/mcp-servers/', { server_name: one.server_name, config })).status).toBe(409)
    expect((await alice.patch(urlOf(two), { server_name: one.server_name })).status).toBe(409)
    expect((await alice.get(urlOf(one))).body).toEqual(one)
    await create(bob, {}, one.server_name)
  })

  test('of another organization is as unknown as one that doesn’t exist', async () => {
    const { alice, bob } = server
    const hers = await create(alice)
    const tool = await toolOf(alice, hers, 'echo')
    const own = await create(bob)
    for (const reply of [
      await bob.get(urlOf(hers)),
      await bob.get(`${urlOf(hers)}/tools`),
      await bob.get(`${urlOf(hers)}/tools/${tool.id}`),
      await bob.get(`${urlOf(own)}/tools/${tool.id}`),
      await run(bob, hers, tool.id, { message: 'x' }),
      await run(bob, own, tool.id, { message: 'x' }),
      await bob.patch(urlOf(hers), { server_name: 'mine' }),
      await bob.patch(`${urlOf(hers)}/refresh`),
      await bob.get(`/v1/mcp-servers/connect/${hers.id}`),
      await bob.delete(urlOf(hers)),
    ]) {
      expect(reply.status).toBe(404)
    }
    expect((await bob.get('/v1/mcp-servers/')).body.map(({ id }: { id: string }) => id)).not.toContain(hers.id)
  })

  test('that can’t be reached is created without tools, and says why; a refresh is a 502', async () => {
    const { alice } = server
    standIn.otherwise = () => ({ status: 503, body: '' })
    const one = await create(alice)
    expect(one.sync_error).toBe('it answers 503')
    expect(await toolsOf(alice, one)).toEqual([])
    const failed = await alice.patch(`${urlOf(one)}/refresh`)
    expect([failed.status, failed.body.detail]).toEqual([502, expect.stringContaining('it answers 503')])
    const older = await alice.patch(`/letta${urlOf(one)}/refresh`)
    expect([older.status, older.body.detail.code]).toEqual([404, 'MCPServerUnavailable'])
    standIn.otherwise = () => undefined
    expect((await alice.patch(`${urlOf(one)}/refresh`)).body.added).toEqual(['echo', 'add', 'look', 'fail'])
    expect((await alice.get(urlOf(one))).body).not.toHaveProperty('sync_error')
  })

  test('shows its secrets to keys that may see them, and stores them encrypted', async () => {
    const { alice, database } = server
    const one = await create(alice, { auth_token: 'open sesame', custom_headers: { 'X-Team': 'crimson' } })
    const reader = await server.withScopes('read', 'write')
    const hidden = { auth_token: '', custom_headers: { 'X-Team': '' } }
    expect((await reader.get(urlOf(one))).body).toMatchObject(hidden)
    expect((await reader.patch(urlOf(one), {})).body).toMatchObject(hidden)
    const { rows } = await sql<{ row: string }>`select t::text as row from mcp_servers t
      union all select t::text from revisions t union all select t::text from kept_answers t`.execute(database.kysely)
    expect(rows.filter(({ row }) => /sesame|crimson/.test(row))).toEqual([])
  })

  test('doesn’t send its secrets to a new address unless they are given again', async () => {
    const { alice } = server
    const one = await create(alice, { auth_token: 'secret' })
    const config = { server_url: 'https://elsewhere.example/mcp' }
    const moved = await alice.patch(urlOf(one), { config })
    expect([moved.status, moved.body.detail]).toEqual([422, expect.stringContaining('config.auth_token')])
    expect((await alice.patch(urlOf(one), { config: { ...config, auth_token: 'other' } })).status).toBe(200)
  })

  test('is refused where it is a program, has an address inside, or headers that can’t be sent', async () => {
    const { alice } = server
    const post = (config: object) => alice.post('/v1/mcp-servers/', { server_name: 'refused', config })
    const program = await post({ mcp_server_type: 'stdio', command: 'npx', args: ['-y', 'server'] })
    expect([program.status, program.body.detail]).toEqual([403, expect.stringContaining('program')])
    for (const config of [
      {},
      { server_url: 'http://169.254.169.254/mcp' },
      { server_url: 'ftp://example.com' },
      { server_url: `${standIn.url}/mcp`, custom_headers: { 'X Y': 'z' } },
      { server_url: `${standIn.url}/mcp`, auth_token: 'a\nb' },
    ]) {
      expect([config, (await post(config)).status]).toEqual([config, 422])
    }
    expect(standIn.asked).toEqual([])
  })
})

describe('an MCP server that is a program of the operator', () => {
  /** A server of these settings that has done its background work. */
  async function withPrograms(mcpPrograms: McpPrograms) {
    const other = await server.another({ mcpPrograms })
    await other.app.registerPrograms()
    await other.app.workers.runDue()
    return other
  }

  const names = (servers: { server_name: string }[]) => servers.map(({ server_name }) => server_name)

  test('belongs to the organizations that the settings name, with its tools, and nobody changes it by the API', async () => {
    const { alice, bob, organizations } = server
    const own = await create(alice, {}, 'taken')
    const program = programOf({ env: { TOKEN: 'of the program' } })
    const mcpPrograms = {
      ...{ clock: program, taken: program },
      'for Alice': programOf({ organizations: [organizations.alice] }),
    }
    const other = await withPrograms(mcpPrograms)
    expect(names((await bob.get('/v1/mcp-servers/')).body).sort()).toEqual(expect.arrayContaining(['clock', 'taken']))
    expect(names((await bob.get('/v1/mcp-servers/')).body)).not.toContain('for Alice')
    const servers = (await other.alice.get('/v1/mcp-servers/')).body
    expect(names(servers)).toContain('for Alice')
    expect(servers).toContainEqual(own)
    const clock = servers.find(({ server_name }: { server_name: string }) => server_name === 'clock')
    expect(clock).toMatchObject({ mcp_server_type: 'stdio', command: 'python3', args: program.args })
    expect(JSON.stringify(clock)).not.toContain('of the program')
    for (const refused of [
      await other.alice.patch(urlOf(clock), { server_name: 'mine' }),
      await other.alice.patch(urlOf(clock), { config: { server_url: `${standIn.url}/mcp` } }),
      await other.alice.delete(urlOf(clock)),
    ]) {
      expect([refused.status, refused.body.detail]).toEqual([403, expect.stringContaining('operator')])
    }
    // Without the setting, it is the organization's to delete.
    expect((await alice.delete(urlOf(clock))).status).toBe(204)
  })

  test.skipIf(!runs)('lists and runs its tools, for agents too', async () => {
    const { organizations } = server
    const mcpPrograms = { program: programOf({ organizations: [organizations.alice] }) }
    const { alice, bob } = await withPrograms(mcpPrograms)
    const one = (await alice.get('/v1/mcp-servers/')).body.find(
      ({ server_name }: { server_name: string }) => server_name === 'program',
    )
    expect(one).not.toHaveProperty('sync_error')
    const tools = await toolsOf(alice, one)
    expect(tools).toHaveLength(3)
    const [, count] = tools
    expect((await run(alice, one, count.id, {})).body).toEqual({ status: 'success', func_return: '1' })
    expect((await alice.patch(`${urlOf(one)}/refresh`)).body).toEqual({ added: [], updated: [], deleted: [] })
    const agent = (await alice.post('/v1/agents/', { name: 'A', tool_ids: [count.id] })).body.id
    expect(await callTool(alice, agent, count.name, {})).toEqual({ status: 'success', tool_return: '2' })
    expect((await run(bob, one, count.id, {})).status).toBe(404)
    // A server without the setting runs nothing.
    const elsewhere = await run(server.alice, one, count.id, {})
    expect([elsewhere.status, elsewhere.body.detail]).toEqual([502, expect.stringContaining('do not name it')])
  })
})

describe('the tools of an MCP server', () => {
  test('follow the server at a refresh: new ones come, changed ones change, and gone ones leave their agents', async () => {
    const { alice } = server
    const one = await create(alice)
    const add = await toolOf(alice, one, 'add')
    const agent = (await alice.post('/v1/agents/', { name: 'A', tool_ids: [add.id] })).body
    const { add: _, ...others } = standIn.tools
    standIn.tools = {
      ...others,
      echo: { ...others.echo!, description: 'Says it again' },
      'new.tool': { run: () => ({ content: [{ type: 'text', text: 'new' }] }) },
    }
    const refresh = async () => (await alice.patch(`${urlOf(one)}/refresh`)).body
    expect(await refresh()).toEqual({ deleted: ['add'], updated: ['echo'], added: ['new.tool'] })
    expect(await refresh()).toEqual({ deleted: [], updated: [], added: [] })
    expect(await toolOf(alice, one, 'echo')).toMatchObject({ description: 'Says it again' })
    const names = (await alice.get(`/v1/agents/${agent.id}/tools`)).body.map(({ name }: { name: string }) => name)
    expect(names).not.toContain('add')
    // Providers of models take no dot.
    const { id } = await toolOf(alice, one, 'new_tool')
    expect((await run(alice, one, id, {})).body).toMatchObject({ status: 'success', func_return: 'new' })
  })

  test('take no other tool’s name: the name of their server comes before theirs', async () => {
    const { bob } = server
    const own = { source_code: '# mine', json_schema: { name: 'fail', description: 'Mine' } }
    const mine = await bob.call('PUT', '/v1/tools/', own)
    const one = await create(bob, {}, 'My server')
    const tool = await toolOf(bob, one, 'fail')
    expect(tool.name).toBe('My_server_fail')
    expect((await run(bob, one, tool.id, {})).body).toMatchObject({ status: 'error', func_return: 'It broke.' })
    expect((await bob.get(`/v1/tools/${mine.body.id}`)).body.description).toBe('Mine')
  })

  test('run with the result as text, and errors of the tool as such', async () => {
    const { alice } = server
    const one = await create(alice)
    const result = async (name: string, args: object) =>
      (await run(alice, one, (await toolOf(alice, one, name)).id, args)).body
    expect(await result('echo', { message: 'hello' })).toEqual({ status: 'success', func_return: 'Echo: hello' })
    expect(await result('look', {})).toEqual({ status: 'success', func_return: 'A pixel: [image/png, 1 kB]' })
    expect(await result('fail', {})).toEqual({ status: 'error', func_return: 'It broke.' })
    expect(await result('echo', {})).toMatchObject({ status: 'error' })
    standIn.otherwise = () => ({ status: 503, body: '' })
    const { id } = await toolOf(alice, one, 'echo')
    const failed = await run(alice, one, id, { message: 'hello' })
    expect([failed.status, failed.body.detail]).toEqual([502, expect.stringContaining('it answers 503')])
  })
})

describe('an agent', () => {
  const agentWith = async (client: Client, toolId: string, secrets = {}) =>
    (await client.post('/v1/agents/', { name: 'A', tool_ids: [toolId], secrets })).body.id

  test('calls a tool of an MCP server under its own id, with its secrets in the headers', async () => {
    for (const client of [server.alice, server.bob]) {
      const one = await create(client, {
        auth_token: '{{ TOKEN }}',
        custom_headers: { 'X-Team:': '"{{ TEAM | red }}"', 'X-Whole': '{{ ABSENT }} {{ TEAM }}' },
      })
      const tool = await toolOf(client, one, 'echo')
      const agent = await agentWith(client, tool.id, { TOKEN: `of ${one.id}` })
      standIn.asked.length = 0
      const result = await callTool(client, agent, tool.name, { message: 'hello' })
      expect(result).toEqual({ status: 'success', tool_return: 'Echo: hello' })
      expect(standIn.asked.length).toBeGreaterThan(0)
      for (const { headers } of standIn.asked) {
        expect(headers).toMatchObject({
          'x-agent-id': agent,
          authorization: `of ${one.id}`,
          'x-team': 'red',
          'x-whole': '{{ ABSENT }} {{ TEAM }}',
        })
      }
      // No turn lists the tools.
      expect(standIn.asked.filter(({ text }) => text.includes('tools/list'))).toEqual([])
    }
  })

  test('reads why a server can’t be used, and goes on', async () => {
    const { alice } = server
    const one = await create(alice)
    const tool = await toolOf(alice, one, 'echo')
    const agent = await agentWith(alice, tool.id)
    standIn.otherwise = () => ({ status: 503, body: '' })
    const result = await callTool(alice, agent, tool.name, { message: 'hello' })
    expect(result).toMatchObject({ status: 'error', tool_return: expect.stringContaining('it answers 503') })
  })

  test('finds the server of a tool though its tags, its name and the name of the server have changed', async () => {
    const { alice } = server
    const one = await create(alice)
    const tool = await toolOf(alice, one, 'echo')
    await alice.patch(`/v1/tools/${tool.id}`, { tags: ['mcp:elsewhere'] })
    await alice.patch(urlOf(one), { server_name: `a:b ${one.id}` })
    const agent = await agentWith(alice, tool.id)
    expect(await callTool(alice, agent, tool.name, { message: 'still' })).toMatchObject({ tool_return: 'Echo: still' })
  })
})
