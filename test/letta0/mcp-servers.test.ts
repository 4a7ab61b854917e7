import { afterEach, beforeEach, expect, test } from 'vitest'
import { type StandIn, startMcp } from '../stand-ins/mcp.ts'
import { olderSdk, refused } from './client.ts'

const older = olderSdk({ defaultModel: 'cairn/scripted' })

let standIn: StandIn
beforeEach(async () => {
  standIn = await startMcp()
})
afterEach(() => standIn.close())

const config = (serverName: string) => ({
  serverName,
  serverUrl: `${standIn.url}/mcp`,
  type: 'streamable_http' as const,
})

test('an MCP server is tested, added, listed by its name, changed and deleted', async () => {
  const { tools } = older.alice
  expect(await tools.testMcpServer(config('tried'))).toMatchObject({
    status: 'success',
    tools: [{ name: 'echo', health: { status: 'STRICT_COMPLIANT' } }, {}, {}, {}],
  })
  expect(await tools.listMcpServers()).toEqual({})
  const added = await tools.addMcpServer({ ...config('notes'), authHeader: 'X-Key', authToken: 'secret' })
  const notes = { ...config('notes'), authHeader: 'X-Key', authToken: 'secret' }
  expect(added).toMatchObject([notes])
  expect(await tools.addMcpServer(notes)).toMatchObject([notes])
  expect(await tools.listMcpServers()).toMatchObject({ notes })
  // The SDK drops every field of a change but those of a program.
  expect(await tools.updateMcpServer('notes', { customHeaders: { 'X-Team': 'blue' } })).toMatchObject(notes)
  const changed = await older.server.alice.patch('/letta/v1/tools/mcp/servers/notes', { token: 'other' })
  expect(changed.body).toMatchObject({ server_name: 'notes', auth_header: 'X-Key', auth_token: 'other' })
  expect(await older.bob.tools.listMcpServers()).toEqual({})
  await refused(older.bob.tools.deleteMcpServer('notes'), 404, 'notes')
  await refused(older.bob.tools.listMcpToolsByServer('notes'), 404, 'notes')
  const stdio = { serverName: 'program', type: 'stdio' as const, command: 'sh', args: [] }
  await refused(tools.addMcpServer(stdio), 403, 'operator')
  await refused(tools.testMcpServer({ ...config('absent'), serverUrl: 'http://127.0.0.1:1/mcp' }), 502, 'absent')
  expect(await tools.deleteMcpServer('notes')).toEqual([])
})

test('the tools of an MCP server are listed, taken by their names, resynced and run', async () => {
  const { tools } = older.alice
  await tools.addMcpServer(config('stand-in'))
  const listed = await tools.listMcpToolsByServer('stand-in')
  expect(listed.map(({ name }) => name)).toEqual(['echo', 'add', 'look', 'fail'])
  expect(listed[0]).toMatchObject({ inputSchema: { required: ['message'] }, health: { status: 'STRICT_COMPLIANT' } })
  const echo = await tools.addMcpTool('stand-in', 'echo')
  expect(echo).toMatchObject({ name: expect.stringMatching(/echo$/), toolType: 'external_mcp', tags: ['mcp:stand-in'] })
  await refused(tools.addMcpTool('stand-in', 'absent'), 404, 'absent')
  const url = '/letta/v1/tools/mcp/servers/stand-in'
  const { body } = await older.server.alice.post(`${url}/tools/echo/execute`, { args: { message: 'hello' } })
  expect(body).toEqual({ result: 'Echo: hello', success: true })
  const { add: _, ...others } = standIn.tools
  standIn.tools = others
  expect((await older.server.alice.post(`${url}/resync`)).body).toEqual({ deleted: ['add'], updated: [], added: [] })
})

test('an MCP server is connected to, whose events are a stream', async () => {
  const events = []
  for await (const event of await older.alice.tools.connectMcpServer(config('connected'))) events.push(event)
  expect(events).toMatchObject([
    { event: 'connection_attempt' },
    { event: 'success', tools: [{ name: 'echo' }, {}, {}, {}] },
  ])
  expect(Object.keys(await older.alice.tools.listMcpServers())).toContain('connected')
})
