import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Client as Caller, useTestServer } from '../../../test/server.ts'

const server = useTestServer({ defaultModel: 'cairn/scripted' })
let origin: string
beforeAll(async () => {
  origin = await server.app.listen({ port: 0, host: 'localhost' })
})

const ERAS = { '2025-11-25': 'legacy', '2026-07-28': 'auto' } as const
type Era = keyof typeof ERAS

/** An MCP client of one revision with the key of a caller. */
async function connect({ key }: Pick<Caller, 'key'>, era: Era = '2026-07-28') {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: ERAS[era] } })
  const headers = { authorization: `Bearer ${key}` }
  await client.connect(new StreamableHTTPClientTransport(new URL(`${origin}/mcp`), { requestInit: { headers } }))
  return client
}

const textOf = ({ content }: Awaited<ReturnType<Client['callTool']>>) => (content as { text: string }[])[0]!.text

/** Calls a tool, and returns its result. */
async function call(client: Client, name: string, args: Record<string, unknown> = {}) {
  const result = await client.callTool({ name, arguments: args })
  expect(result.isError, textOf(result)).toBeFalsy()
  return JSON.parse(textOf(result))
}

describe.each(Object.keys(ERAS) as Era[])('an MCP client of the revision %s', (era) => {
  test('finds tools with schemas that name everything they need', async () => {
    const { tools } = await (await connect(server.alice, era)).listTools()
    expect(tools.length).toBeGreaterThanOrEqual(20)
    expect(JSON.stringify(tools)).not.toContain('$ref')
    const send = tools.find(({ name }) => name === 'send_message')!
    expect(send.inputSchema).toMatchObject({ required: ['agent_id', 'input'], additionalProperties: false })
    expect(tools.find(({ name }) => name === 'list_agents')!.annotations!.readOnlyHint).toBe(true)
    expect(tools.find(({ name }) => name === 'delete_agent')!.annotations!.destructiveHint).toBe(true)
  })

  test('makes an agent, speaks with it, and changes and searches its memory', async () => {
    const client = await connect(server.alice, era)
    const memory_blocks = [{ label: 'human', value: 'The user is Ada.' }]
    const agent = await call(client, 'create_agent', { name: `Muninn ${era}`, memory_blocks })
    const reply = await call(client, 'send_message', { agent_id: agent.id, input: 'Hello there' })
    expect(reply.messages.at(-1)).toMatchObject({ message_type: 'assistant_message' })
    await call(client, 'modify_block_of_agent', { agent_id: agent.id, label: 'human', value: 'The user is Bea.' })
    const blocks = await call(client, 'list_blocks_of_agent', { agent_id: agent.id })
    expect(blocks).toMatchObject([{ label: 'human', value: 'The user is Bea.' }])
    await call(client, 'create_passage_of_agent', { agent_id: agent.id, text: 'Ravens remember faces.' })
    const found = await call(client, 'search_archival_memory', { agent_id: agent.id, query: 'ravens' })
    expect(JSON.stringify(found)).toContain('Ravens remember faces.')
    const page = await call(client, 'list_agents', { name: `Muninn ${era}`, limit: 5 })
    expect(page).toMatchObject([{ id: agent.id }])
    await call(client, 'delete_agent', { agent_id: agent.id })
    expect(await call(client, 'list_agents', { name: `Muninn ${era}` })).toEqual([])
  })

  test('gets the reason why a call failed', async () => {
    const result = await (await connect(server.alice, era)).callTool({
      name: 'retrieve_agent',
      arguments: { agent_id: 'x' },
    })
    expect(result.isError).toBe(true)
    expect(textOf(result)).toContain('agent_id')
  })
})

test('an MCP client sees its own organization alone', async () => {
  const agent = await call(await connect(server.alice), 'create_agent', { name: 'Secret' })
  const bob = await connect(server.bob)
  expect(await call(bob, 'list_agents', { name: 'Secret' })).toEqual([])
  const result = await bob.callTool({ name: 'retrieve_agent', arguments: { agent_id: agent.id } })
  expect(textOf(result)).toContain(agent.id)
  expect(result.isError).toBe(true)
})

test('an MCP client has the scopes of its key', async () => {
  const { body } = await server.alice.post('/v1/api-keys/', { name: 'reader', scopes: ['agents:read'] })
  const reader = await connect({ key: body.key })
  expect(Array.isArray(await call(reader, 'list_agents'))).toBe(true)
  const result = await reader.callTool({ name: 'create_agent', arguments: { name: 'X' } })
  expect(result.isError).toBe(true)
  expect(textOf(result)).toContain('agents:write')
  expect((await reader.callTool({ name: 'list_blocks', arguments: {} })).isError).toBe(true)
})

test('a request without a key gets a 401, and a tool that is none an error', async () => {
  const response = await fetch(`${origin}/mcp`, {
    method: 'POST',
    body: '{}',
    headers: { 'content-type': 'application/json' },
  })
  expect(response.status).toBe(401)
  await expect((await connect(server.alice)).callTool({ name: 'drop_tables', arguments: {} })).rejects.toThrow(
    /drop_tables/,
  )
})

test('a web page calls the server only if the settings name its origin, or this machine serves it', async () => {
  const message = { jsonrpc: '2.0', id: 1, method: 'ping' }
  const statusFor = async (from: string, { alice }: Pick<typeof server, 'alice'> = server) => {
    const headers = { origin: from, accept: 'application/json, text/event-stream' }
    return (await alice.post('/mcp', message, headers)).status
  }
  expect(await statusFor('http://evil.example.com')).toBe(403)
  expect(await statusFor('null')).toBe(403)
  expect(await statusFor('http://localhost:5173')).toBe(200)
  const other = await server.another({ corsOrigins: ['https://app.example.com'] })
  expect(await statusFor('https://app.example.com', other)).toBe(200)
  expect(await statusFor('https://app.example.com.evil.com', other)).toBe(403)
})
