import { beforeAll, describe, expect, test } from 'vitest'
import { AREAS, permits, SCOPE_PATTERN, VERBS, WRITE_TOOLS } from '../src/lib/permissions.ts'
import { addressOf, documentOf, keyedOperations, type Operation } from './operations.ts'
import { requestsOf } from './places.ts'
import { type Populated, populate } from './populate.ts'
import { type Client, useTestServer } from './server.ts'

const server = useTestServer({ defaultModel: 'cairn/scripted' })
let held: Populated
let operations: Operation[]
beforeAll(async () => {
  held = await populate(server.alice, server.database, 'Alicia')
  operations = keyedOperations(server.app)
})

const ALL = ['read', 'write', 'secrets', 'admin', ...AREAS.flatMap((area) => VERBS.map((verb) => `${area}:${verb}`))]

/** The scope that the document names for an operation. */
const neededBy = ({ security }: Operation) => (security as [{ key: [string] }])[0].key[0]

const clients = new Map<string, Client>()
async function clientWith(scopes: readonly string[]): Promise<Client> {
  const known = clients.get(scopes.join())
  if (known) return known
  const made = await server.withScopes(...scopes)
  clients.set(scopes.join(), made)
  return made
}

/** Sends an operation without a body, so that it changes little: the scopes are looked at first. */
function ask(client: Client, operation: Operation, agent = held.one.agent) {
  const [request] = requestsOf(documentOf(server.app), operation, held)
  return client.call(operation.method, addressOf(operation, { ...request!.path, agent_id: agent }))
}

describe('the scopes of a key', () => {
  test('that do not permit an operation are a 403, which names the scope that does', async () => {
    const wrong: string[] = []
    for (const operation of operations) {
      const needed = neededBy(operation)
      const lacking = await clientWith(ALL.filter((scope) => !permits([scope], needed)))
      const { status, body } = await ask(lacking, operation)
      if (status !== 403 || !body.detail.includes(`"${needed}"`)) wrong.push(`${operation.operationId}: ${status}`)
    }
    expect(operations.length).toBeGreaterThan(150)
    expect(operations.map(neededBy).filter((scope) => !new RegExp(SCOPE_PATTERN).test(scope))).toEqual([])
    expect(wrong).toEqual([])
  })

  test('reach an operation with the one that its document names', async () => {
    const wrong: string[] = []
    // Deletes would end what others ask for.
    for (const operation of operations.filter(({ method }) => method !== 'DELETE')) {
      const { status } = await ask(await clientWith([neededBy(operation)]), operation)
      if (status === 403) wrong.push(operation.operationId)
    }
    expect(wrong).toEqual([])
  })

  test.each([
    [['read'], 'blocks:read', true],
    [['read'], 'blocks:write', false],
    [['write'], 'agents:run', true],
    [['write'], 'blocks:read', false],
    [['write'], WRITE_TOOLS, false],
    [['write', WRITE_TOOLS], WRITE_TOOLS, true],
    [['admin'], 'blocks:read', false],
    [['blocks:write'], 'blocks:read', false],
    [['agents:run'], 'agents:write', false],
    [['tools:read'], 'secrets', false],
  ])('%j permit %s: %s', (scopes, needed, expected) => expect(permits(scopes, needed)).toBe(expected))

  test('that are none are refused', async () => {
    for (const scope of [
      'reed',
      'block:read',
      'agents:agent-1:own',
      'blocks:read:x',
      `blocks:${held.one.block}:read`,
    ]) {
      const { status } = await server.alice.post('/v1/api-keys/', { name: 'Key', scopes: [scope] })
      expect([scope, status]).toEqual([scope, 422])
    }
  })
})

describe('the source of a tool', () => {
  const tool = (name: string) => ({ source_code: `def ${name}():\n    """Does nothing."""` })

  test('is written with a scope of its own, also in an agent file', async () => {
    const writer = await clientWith(['read', 'write'])
    const coder = await clientWith(['read', 'write', WRITE_TOOLS])
    const refused = await writer.post('/v1/tools/', tool('one'))
    expect([refused.status, refused.body.detail]).toEqual([403, expect.stringContaining(WRITE_TOOLS)])
    expect((await writer.patch(`/v1/tools/${held.one.tool}`, tool('one'))).status).toBe(403)
    expect((await coder.post('/v1/tools/', tool('one'))).status).toBe(200)

    const file = (name: string) => ({
      agents: [{ id: 'agent-0', name: 'A', tool_ids: ['tool-0'] }],
      tools: [{ id: 'tool-0', name, source_code: 'def x(): pass', json_schema: { name } }],
    })
    const importFile = (client: Client, name: string) => {
      const form = new FormData()
      form.append('file', new Blob([JSON.stringify(file(name))]), 'agent.af')
      return client.post('/v1/agents/import', form)
    }
    expect((await importFile(writer, 'filed')).status).toBe(403)
    expect((await server.alice.get('/v1/tools/?name=filed')).body).toEqual([])
    expect((await importFile(coder, 'filed')).status).toBe(200)
  })
})

describe('a key for one agent', () => {
  const scopesFor = (id: string) => VERBS.map((verb) => `agents:${id}:${verb}`)

  test('reaches operations of that agent alone', async () => {
    const client = await clientWith(scopesFor(held.one.agent))
    const reached: string[] = []
    for (const operation of operations) {
      if ((await ask(client, operation)).status !== 403) reached.push(operation.operationId)
      if (!operation.path.includes('{agent_id}')) continue
      const { status } = await ask(client, operation, held.spareAgent)
      expect([operation.operationId, status]).toEqual([operation.operationId, 403])
    }
    expect(reached.sort()).toEqual([
      'cancel_message',
      'list_blocks_of_agent',
      'list_files_of_agent',
      'list_folders_of_agent',
      'list_messages',
      'list_sources_of_agent',
      'list_tools_of_agent',
      'modify_agent',
      'modify_block_of_agent',
      'retrieve_agent',
      'retrieve_block_of_agent',
      'retrieve_core_memory',
      'retrieve_memory_variables',
      'send_message',
      'send_message_async',
      'stream_message',
    ])
  })

  test('reads, writes or runs, as its scopes say', async () => {
    const url = `/v1/agents/${held.spareAgent}`
    const [reader, writer, runner] = await Promise.all(
      VERBS.map((verb) => clientWith([`agents:${held.spareAgent}:${verb}`])),
    )
    const statuses = async (client: Client) => [
      (await client.get(url)).status,
      (await client.patch(url, { description: 'Changed' })).status,
      (await client.post(`${url}/messages`, { input: 'Hello' })).status,
    ]
    expect(await statuses(reader!)).toEqual([200, 403, 403])
    expect(await statuses(writer!)).toEqual([403, 200, 403])
    expect((await statuses(runner!)).slice(0, 2)).toEqual([403, 403])
    const named = await runner!.post(`${url}/messages`, { input: 'Hello', override_system: 'Be another.' })
    expect([named.status, named.body.detail]).toEqual([403, expect.stringContaining('override_system')])
  })

  test('has its agent write to no other agent', async () => {
    const { alice } = server
    const make = async (body: object) => (await alice.post('/v1/agents/', body)).body.id as string
    const sender = await make({ include_multi_agent_tools: true })
    const receiver = await make({})
    const args = JSON.stringify({ message: 'Hello', other_agent_id: receiver })
    const input = `!call send_message_to_agent_and_wait_for_reply ${args}`
    const send = async (client: Client) => {
      const { body } = await client.post(`/v1/agents/${sender}/messages`, { input })
      return body.messages.find((message: { message_type: string }) => message.message_type === 'tool_return_message')
    }
    const limited = await clientWith(scopesFor(sender))
    expect(await send(limited)).toMatchObject({
      status: 'error',
      tool_return: expect.stringContaining('does not reach'),
    })
    expect((await alice.get(`/v1/runs/?agent_id=${receiver}`)).body).toEqual([])
    expect((await send(await clientWith([...scopesFor(sender), ...scopesFor(receiver)]))).status).toBe('success')
  })
})
