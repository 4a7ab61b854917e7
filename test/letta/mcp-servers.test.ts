import Letta from '@letta-ai/letta-client'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type StandIn, startMcp } from '../stand-ins/mcp.ts'
import { refused, useLetta } from './client.ts'

const server = useLetta({ defaultModel: 'cairn/scripted' })

let standIn: StandIn
beforeEach(async () => {
  standIn = await startMcp()
})
afterEach(() => standIn.close())

test('an MCP server is created, listed, changed, refreshed and deleted, and its tools run', async () => {
  const { mcpServers, agents } = server.alice
  const server_url = `${standIn.url}/mcp`
  const made = await mcpServers.create({
    server_name: 'notes',
    config: { mcp_server_type: 'streamable_http', server_url, custom_headers: { 'X-Team': 'red' } },
  })
  const id = made.id!
  expect(made).toMatchObject({ server_name: 'notes', server_url, custom_headers: { 'X-Team': 'red' } })
  expect(await mcpServers.retrieve(id)).toEqual(made)
  expect(await mcpServers.list()).toEqual([made])

  const listed = await mcpServers.tools.list(id)
  expect(listed.map(({ name }) => name).toSorted()).toEqual(['add', 'echo', 'fail', 'look'])
  const echo = listed.find(({ name }) => name === 'echo')!
  expect(await mcpServers.tools.retrieve(echo.id, { mcp_server_id: id })).toEqual(echo)
  const args = { message: 'hello' }
  const result = { status: 'success', func_return: 'Echo: hello' }
  expect(await mcpServers.tools.run(echo.id, { mcp_server_id: id, args })).toMatchObject(result)
  const agent = await agents.create({ name: 'Agent', tool_ids: [echo.id] })
  expect(await agents.tools.run('echo', { agent_id: agent.id, args })).toMatchObject(result)

  const { add: _, ...others } = standIn.tools
  standIn.tools = others
  expect(await mcpServers.refresh(id)).toEqual({ deleted: ['add'], updated: [], added: [] })
  const renamed = await mcpServers.update(id, {
    server_name: 'papers',
    config: { mcp_server_type: 'streamable_http', server_url },
  })
  expect(renamed).toMatchObject({ id, server_name: 'papers' })
  await refused(server.bob.mcpServers.retrieve(id), Letta.NotFoundError, id)
  await mcpServers.delete(id)
  await refused(mcpServers.retrieve(id), Letta.NotFoundError, id)
  await refused(server.alice.tools.retrieve(echo.id), Letta.NotFoundError, echo.id)
})
