import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { addressOf, documentOf, keyedOperations } from '../../../test/operations.ts'
import { requestsOf } from '../../../test/places.ts'
import { type Populated, populate } from '../../../test/populate.ts'
import { rowsOf } from '../../../test/rows.ts'
import { type Client, startTestServer, type TestServer } from '../../../test/server.ts'

let server: TestServer
let alice: Client
let held: Populated
let other: string
beforeAll(async () => {
  server = await startTestServer()
  alice = server.alice
  held = await populate(alice, server.database, 'Alicia')
  other = held.spareAgent
})
afterAll(() => server.close())

const HOST = 'https://app.example.com'
const ORIGIN = { origin: HOST }
const READ = ['read_agent']

const grant = (access: string[], id = held.one.agent) => ({ type: 'agent', id, access })
const create = (policy: object[], body: object = {}, client = alice) =>
  client.post('/v1/client-side-access-tokens', { policy, hostname: HOST, ...body })

/** A client with a new token. */
async function withToken(access: string[], body: object = {}) {
  const reply = await create([grant(access)], body)
  expect(reply.status).toBe(200)
  return server.client(reply.body.token)
}

const agentUrl = (id = held.one.agent) => `/v1/agents/${id}`

describe('a client-side access token', () => {
  test('is shown once, when it is made; lists show its id, and only a hash of it is kept', async () => {
    const made = await create([grant(['read_agent', 'write_messages', 'read_agent']), grant(['write_agent'])])
    expect(made.status).toBe(200)
    expect(made.body).toEqual({
      token: expect.stringMatching(/^cairn_client_.{43}$/),
      hostname: HOST,
      expiresAt: expect.stringMatching(/Z$/),
      policy: {
        version: '1',
        data: [{ type: 'agent', id: held.one.agent, access: ['read_agent', 'write_messages', 'write_agent'] }],
      },
    })
    const left = Date.parse(made.body.expiresAt) - Date.now()
    expect(left).toBeGreaterThan(0)
    expect(left).toBeLessThanOrEqual(5 * 60_000)
    const [first] = (await alice.get('/v1/client-side-access-tokens')).body.tokens
    expect(first).toEqual({ ...made.body, token: expect.stringMatching(/^access_token-.{36}$/) })
    const stored = JSON.stringify(await rowsOf(server.database, held.organizationId))
    expect(stored).toContain(first.token)
    expect(stored).not.toContain(made.body.token)
    const hashes = (await rowsOf(server.database, held.organizationId)).access_tokens!.map(
      (row) => JSON.parse(row).token_hash as string,
    )
    const { revisions } = await rowsOf(server.database, held.organizationId)
    expect(hashes.filter((hash) => revisions!.join().includes(hash))).toEqual([])
  })

  test('is listed by agent and by pages, until it expires', async () => {
    const { bob } = server
    const agent = (await bob.post('/v1/agents/', { name: 'A' })).body.id
    const another = (await bob.post('/v1/agents/', { name: 'B' })).body.id
    for (const id of [agent, another, agent]) await create([grant(READ, id)], {}, bob)
    const list = async (query: string, client = bob) =>
      (await client.get(`/v1/client-side-access-tokens/?${query}`)).body
    expect((await list('')).tokens).toHaveLength(3)
    const page = await list('limit=2')
    expect([page.tokens.length, page.hasNextPage]).toEqual([2, true])
    expect([(await list('limit=2&offset=2')).tokens.length, (await list('offset=2')).hasNextPage]).toEqual([1, false])
    expect((await list(`agentId=${agent}`)).tokens).toHaveLength(2)
    expect((await list(`agentId=${agent}`, alice)).tokens).toEqual([])
    for (let n = 0; n < 9; n++) await create([grant(READ, agent)], {}, bob)
    expect((await list('')).tokens).toHaveLength(10)

    await sql`update access_tokens set expires_at = now() - interval '1 second'
      where organization_id = ${server.organizations.bob}`.execute(server.database.kysely)
    expect((await list('')).tokens).toEqual([])
    await create([grant(READ, agent)], {}, bob)
    const { access_tokens } = await rowsOf(server.database, server.organizations.bob)
    expect(access_tokens).toHaveLength(1)
  })

  test.each<[string, object]>([
    ['no policy', { policy: [] }],
    ['a right there is none of', { policy: [{ type: 'agent', id: 'agent-x', access: ['admin'] }] }],
    ['no right', { policy: [{ type: 'agent', id: 'agent-x', access: [] }] }],
    ['a bare host', { hostname: 'app.example.com' }],
    ['another scheme', { hostname: 'ftp://app.example.com' }],
    ['no host', { hostname: 'https://' }],
    ['a user name', { hostname: 'https://ann:secret@app.example.com' }],
    ['a past expiry', { expires_at: '2020-01-01T00:00:00Z' }],
    ['a malformed expiry', { expires_at: 'tomorrow' }],
  ])('is refused for %s', async (_, body) => {
    expect((await create([grant(READ)], body)).status).toBe(422)
  })

  test('reaches no agent its maker’s organization doesn’t have, and no further than its maker', async () => {
    const foreign = await create([grant(READ)], {}, server.bob)
    expect(foreign.status).toBe(404)
    const writer = await server.withScopes('write')
    expect((await create([grant(['write_agent'])], {}, writer)).status).toBe(200)
    const reading = await create([grant(['write_agent', 'read_messages'])], {}, writer)
    expect([reading.status, reading.body.detail]).toEqual([403, 'This key lacks the scope "agents:read".'])
    expect((await create([grant(READ)], {}, await server.withScopes('read'))).status).toBe(403)
  })
})

describe('with a client-side access token', () => {
  test('an agent of the policy is read, its memory too, and no secret of it', async () => {
    const page = await withToken(READ)
    const reply = await page.get(`${agentUrl()}?include=agent.secrets&include=agent.blocks`, ORIGIN)
    expect([reply.status, reply.body.id]).toEqual([200, held.one.agent])
    expect(reply.body.secrets).toMatchObject([{ key: 'OWNER', value: '' }])
    for (const path of ['core-memory', 'core-memory/blocks', 'core-memory/variables', 'tools', 'folders', 'sources']) {
      expect([path, (await page.get(`${agentUrl()}/${path}`, ORIGIN)).status]).toEqual([path, 200])
    }
    const block = await page.get(`${agentUrl()}/core-memory/blocks/${held.names.label}`, ORIGIN)
    expect(block.body.id).toBe(held.one.block)
    expect((await page.call('HEAD', agentUrl(), undefined, ORIGIN)).status).toBe(200)
  })

  test('what is reached is what the routes declare, and nothing else there is', async () => {
    const page = await withToken(['read_agent', 'write_agent', 'read_messages', 'write_messages'])
    const document = documentOf(server.app)
    const reached: string[] = []
    for (const operation of keyedOperations(server.app)) {
      const [request] = requestsOf(document, operation, held)
      const url = addressOf(operation, request!.path)
      // Nothing is sent, so that what lets the token through changes nothing.
      const { status } = await page.call(operation.method, url, undefined, ORIGIN)
      if (status !== 403) reached.push(operation.operationId)
    }
    expect(reached.sort()).toEqual([
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

  test('any other agent gets one answer, whether it is there or not', async () => {
    const page = await withToken(['read_agent', 'write_agent'])
    const foreign = (await server.bob.post('/v1/agents/', { name: 'His' })).body.id
    const unknown = 'agent-00000000-0000-4000-8000-000000000000'
    const answers = await Promise.all(
      [other, foreign, unknown, 'nonsense', '__proto__', 'constructor'].map(async (id) => {
        const { status, body } = await page.get(agentUrl(id), ORIGIN)
        return JSON.stringify([status, { ...body, request_id: '' }])
      }),
    )
    expect(new Set(answers).size).toBe(1)
    expect(JSON.parse(answers[0]!)[0]).toBe(403)
    expect((await page.patch(agentUrl(other), { name: 'Taken' }, ORIGIN)).status).toBe(403)
  })

  test('only what the rights of the policy allow is done', async () => {
    const reader = await withToken(READ)
    const writer = await withToken(['write_agent'])
    const talker = await withToken(['read_messages', 'write_messages'])
    const refused = await reader.patch(agentUrl(), { name: 'Renamed' }, ORIGIN)
    expect([refused.status, refused.body.detail]).toEqual([
      403,
      'The policy of this token lacks "write_agent" for this agent.',
    ])
    expect((await writer.get(agentUrl(), ORIGIN)).status).toBe(403)
    expect((await talker.get(agentUrl(), ORIGIN)).status).toBe(403)
    expect((await writer.patch(agentUrl(), { description: 'By a page' }, ORIGIN)).status).toBe(200)
    const block = `${agentUrl()}/core-memory/blocks/${held.names.label}`
    expect((await writer.patch(block, { value: 'By a page' }, ORIGIN)).body.value).toBe('By a page')
    expect((await reader.patch(block, { value: 'No' }, ORIGIN)).status).toBe(403)
  })

  test('nothing is attached to the agent or set that reaches beyond it', async () => {
    const page = await withToken(['read_agent', 'write_agent'])
    const before = (await alice.get(`${agentUrl()}?include=agent.blocks&include=agent.tools&include=agent.secrets`))
      .body
    const bodies = [
      { block_ids: [] },
      { tool_ids: [] },
      { folder_ids: [] },
      { source_ids: [] },
      { identity_ids: [] },
      { secrets: { OWNER: 'page' } },
      { tool_exec_environment_variables: {} },
      { llm_config: before.llm_config },
      { model: 'openai/gpt-5' },
      { enable_sleeptime: true },
      { tags: ['role:subagent'] },
      { hidden: true },
      { project_id: 'x' },
      { name: 'fine', message_ids: [] },
    ]
    for (const body of bodies) expect([body, (await page.patch(agentUrl(), body, ORIGIN)).status]).toEqual([body, 403])
    const block = `${agentUrl()}/core-memory/blocks/${held.names.label}`
    for (const body of [{ label: 'x' }, { read_only: false }, { tags: [] }, { limit: 5 }]) {
      expect([body, (await page.patch(block, body, ORIGIN)).status]).toEqual([body, 403])
    }
    const after = (await alice.get(`${agentUrl()}?include=agent.blocks&include=agent.tools&include=agent.secrets`)).body
    expect(after).toEqual(before)
  })

  test('requests from elsewhere than its hostname are refused, and so are those that don’t say from where', async () => {
    const page = await withToken(READ, { hostname: 'https://App.Example.com:443/chat?x=1' })
    const from = async (origin?: string) => (await page.get(agentUrl(), origin === undefined ? {} : { origin })).status
    expect(await from(HOST)).toBe(200)
    const elsewhere = [
      undefined,
      '',
      'null',
      'http://app.example.com',
      'https://app.example.com:8443',
      'https://example.com',
      'https://evil.example',
      'https://app.example.com.evil.example',
      'https://app.example.com/',
      `${HOST}, https://evil.example`,
    ]
    for (const origin of elsewhere) expect([origin, await from(origin)]).toEqual([origin, 403])
    const local = await withToken(READ, { hostname: 'http://localhost:3000' })
    expect((await local.get(agentUrl(), { origin: 'http://localhost:3000' })).status).toBe(200)
    expect((await local.get(agentUrl(), { origin: 'http://localhost:3001' })).status).toBe(403)
  })

  test('the history names the token, and the user it acts for', async () => {
    const page = await withToken(['write_agent'])
    await page.patch(agentUrl(), { description: `told ${Math.random()}` }, ORIGIN)
    const [token] = (await alice.get('/v1/client-side-access-tokens/?limit=1')).body.tokens
    const { revisions } = await rowsOf(server.database, held.organizationId)
    const last = revisions!.map((row) => JSON.parse(row)).filter(({ key_id }) => key_id === token.token)
    expect(last).toMatchObject([{ kind: 'agent', resource_id: held.one.agent, operation: 'update' }])
    expect(last[0].user_id).toMatch(/^user-/)
  })
})

describe('a client-side access token is good for nothing', () => {
  const works = async (page: Client) => (await page.get(agentUrl(), ORIGIN)).status

  test('from the instant it expires', async () => {
    const expires_at = new Date(Date.now() + 60_000).toISOString()
    const page = await withToken(READ, { expires_at })
    expect(await works(page)).toBe(200)
    // What was looked up a moment ago is remembered, but not past that instant.
    vi.useFakeTimers({ toFake: ['Date'], now: Date.parse(expires_at) - 500 })
    try {
      expect(await works(page)).toBe(200)
      await sql`update access_tokens set expires_at = now() - interval '1 second'
        where expires_at = ${expires_at}`.execute(server.database.kysely)
      vi.setSystemTime(Date.parse(expires_at))
      expect(await works(page)).toBe(401)
    } finally {
      vi.useRealTimers()
    }
  })

  test('once it is deleted, by itself or by its id', async () => {
    const one = await withToken(READ)
    const two = await withToken(READ)
    const [{ token: id }] = (await alice.get('/v1/client-side-access-tokens?limit=1')).body.tokens
    expect([await works(one), await works(two)]).toEqual([200, 200])
    const url = (token: string) => `/v1/client-side-access-tokens/${token}`
    expect((await server.bob.delete(url(one.key))).status).toBe(404)
    expect((await server.bob.delete(url(id))).status).toBe(404)
    expect(await works(one)).toBe(200)
    const gone = await alice.delete(url(one.key))
    expect([gone.status, gone.body]).toEqual([204, ''])
    expect(await works(one)).toBe(401)
    expect(await works(two)).toBe(200)
    expect((await alice.delete(url(id))).status).toBe(204)
    expect(await works(two)).toBe(401)
    expect((await alice.delete(url(id))).status).toBe(404)
  })

  test('once the key that made it is revoked', async () => {
    const key = (await alice.post('/v1/api-keys/', { name: 'k', scopes: ['read', 'write'] })).body
    const made = await create([grant(READ)], {}, server.client(key.key))
    const page = server.client(made.body.token)
    expect(await works(page)).toBe(200)
    await alice.delete(`/v1/api-keys/${key.id}`)
    expect(await works(page)).toBe(401)
  })

  test('for an agent that is deleted', async () => {
    const { id } = (await alice.post('/v1/agents/', { name: 'Short-lived' })).body
    const page = server.client((await create([grant(READ, id), grant(READ)])).body.token)
    expect((await page.get(agentUrl(id), ORIGIN)).status).toBe(200)
    await alice.delete(agentUrl(id))
    expect([403, 404]).toContain((await page.get(agentUrl(id), ORIGIN)).status)
    const [first] = (await alice.get('/v1/client-side-access-tokens?limit=1')).body.tokens
    expect(first.policy.data.map((one: { id: string }) => one.id)).toEqual([held.one.agent])
    expect(await works(page)).toBe(200)
  })

  test('against the API keys, the tokens and the administration of the organization', async () => {
    const page = await withToken(['read_agent', 'write_agent'])
    for (const url of ['/v1/api-keys/', '/v1/client-side-access-tokens/', '/v1/admin/orgs/', '/v1/admin/users/']) {
      expect([url, (await page.get(url, ORIGIN)).status]).toEqual([url, 403])
    }
    expect((await create([grant(READ)], {}, page)).status).toBe(403)
  })
})
