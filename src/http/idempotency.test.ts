import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import pg from 'pg'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { countStatements } from '../../test/count-statements.ts'
import { bodyOf, documentOf, operationsOf, READING_POSTS } from '../../test/operations.ts'
import { inWorkingOrder, requestsOf, send } from '../../test/places.ts'
import { newOrganization, populate } from '../../test/populate.ts'
import { digestOf, ownedTables } from '../../test/rows.ts'
import { type Client, type Reply, startTestServer, useTestServer } from '../../test/server.ts'
import { deleteExpiredResponses } from '../db/idempotency-store.ts'

const server = useTestServer()
let alice: Client
let bob: Client
beforeAll(() => {
  alice = server.alice
  bob = server.bob
})

const named = (key: string = randomUUID()) => ({ 'idempotency-key': key })
const attempt = (count: number) => ({ 'x-stainless-retry-count': `${count}` })

/** How many archives of a name there are. */
const countOf = async (client: Client, name: string) => (await client.get(`/v1/archives/?name=${name}`)).body.length

/** A response without the parts that name its request. */
const comparable = ({ status, body, headers }: Reply<unknown>) => ({
  status,
  body,
  etag: headers.etag,
  type: headers['content-type'],
})

/** Has `instead` done where an archive is made, or another statement sent, until the function returned is called. */
function intercept(
  instead: (run: () => unknown) => Promise<unknown>,
  statement = /insert into "?archives/,
): () => void {
  type Callback = (error: unknown, result?: unknown) => void
  const real = pg.Client.prototype.query as unknown as (
    this: pg.Client,
    asked: { text: string },
    then: Callback,
  ) => void
  const query = vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (
    this: pg.Client,
    asked: { text: string },
    then: Callback,
  ) {
    if (!statement.test(asked.text)) return real.call(this, asked, then)
    const run = () =>
      new Promise((resolve, reject) => {
        real.call(this, asked, (error, result) => (error ? reject(error) : resolve(result)))
      })
    instead(run).then((result) => then(null, result), then)
  } as never)
  return () => query.mockRestore()
}

/** The client with an Idempotency-Key on every write. */
const naming = (client: Client, key: string): Client => ({
  ...client,
  call: (method, url, body, headers) => client.call(method, url, body, { ...headers, ...named(key) }),
})

/**
 * The first asks providers before the request is known to be repeated, and stores the time. The second responds with the events
 * of a connection. The responses of the others are of runs, which go on.
 */
const OTHERWISE = [
  'refresh_models',
  'connect_named_mcp_server',
  'send_message_async',
  'cancel_message',
  'send_group_message_async',
  'cancel_group_message',
]

describe('a request with an Idempotency-Key', () => {
  test('that is repeated gets an equal response, and runs once', async () => {
    const name = randomUUID()
    const headers = named()
    const first = await alice.post('/v1/archives/', { name }, headers)
    const again = await alice.post('/v1/archives', { name }, headers)
    expect(first.status).toBe(200)
    expect(comparable(again)).toEqual(comparable(first))
    expect([first.headers['idempotent-replayed'], again.headers['idempotent-replayed']]).toEqual([undefined, 'true'])
    expect(again.headers['x-request-id']).not.toBe(first.headers['x-request-id'])
    expect(await countOf(alice, name)).toBe(1)
  })

  test('of every operation that writes gets equal responses, and changes nothing the second time', {
    timeout: 240_000,
  }, async () => {
    const client = await newOrganization(server, 'Ida')
    const held = await populate(client, server.database, 'Ida')
    const tables = await ownedTables(server.database)
    const document = documentOf(server.app)
    const operations = inWorkingOrder(operationsOf(server.app)).filter(
      ({ method, operationId }) =>
        ['POST', 'PATCH', 'DELETE'].includes(method) && ![...READING_POSTS, ...OTHERWISE].includes(operationId),
    )
    const wrong: string[] = []
    let replayed = 0
    for (const operation of operations) {
      for (const request of requestsOf(document, operation, held)) {
        const same = naming(client, randomUUID())
        const first = await send(same, request)
        if (first.status >= 300) continue
        // Batches and chats begin runs that go on.
        await vi.waitUntil(async () => (await client.get('/v1/runs/active')).body.length === 0, { timeout: 10_000 })
        await server.settle()
        const between = await digestOf(server.database, tables, held.organizationId)
        const again = await send(same, request)
        const after = await digestOf(server.database, tables, held.organizationId)
        replayed++
        const alike = JSON.stringify(comparable(again)) === JSON.stringify(comparable(first))
        if (!alike || again.headers['idempotent-replayed'] !== 'true' || after !== between)
          wrong.push(operation.operationId)
      }
    }
    expect(wrong).toEqual([])
    expect(replayed).toBeGreaterThan(50)
  })

  test('gets a 422 when it comes with another body, query or condition, and changes nothing', async () => {
    const { id } = (await alice.post('/v1/blocks/', { label: 'one', value: '1' })).body
    const headers = named()
    expect((await alice.patch(`/v1/blocks/${id}`, { value: '2' }, headers)).status).toBe(200)
    const others = [
      await alice.patch(`/v1/blocks/${id}`, { value: '3' }, headers),
      await alice.patch(`/v1/blocks/${id}`, { value: '2', label: 'two' }, headers),
      await alice.patch(`/v1/blocks/${id}`, { value: '2' }, { ...headers, 'if-match': '"1"' }),
    ]
    for (const { status, body } of others) {
      expect([status, body.errors[0].in, body.errors[0].field]).toEqual([422, 'header', 'idempotency-key'])
    }
    expect((await alice.get(`/v1/blocks/${id}`)).body).toMatchObject({ value: '2', label: 'one' })
  })

  test('has its name to itself: for another key, method or path it is another request', async () => {
    const [name, headers] = [randomUUID(), named()]
    const colleague = await server.withScopes('read', 'write')
    const made = [
      await alice.post('/v1/archives/', { name }, headers),
      await colleague.post('/v1/archives/', { name }, headers),
      await bob.post('/v1/archives/', { name }, headers),
    ]
    expect(new Set(made.map(({ body }) => body.id)).size).toBe(3)
    expect([await countOf(alice, name), await countOf(bob, name)]).toEqual([2, 1])
    const { id } = made[0]!.body
    expect((await alice.patch(`/v1/archives/${id}`, { name }, headers)).body.id).toBe(id)
    expect((await alice.delete(`/v1/archives/${id}`, headers)).status).toBe(204)
    expect((await alice.delete(`/v1/archives/${id}`, headers)).status).toBe(204)
    expect((await alice.delete(`/v1/archives/${id}`)).status).toBe(404)
  })

  test.each([['', 'x'.repeat(256), 'é', '"', 'a\tb']])('that is no name is refused', async (...keys) => {
    const name = randomUUID()
    for (const key of keys) {
      const { status, body } = await alice.post('/v1/archives/', { name }, named(key))
      expect([key, status, body.errors?.[0].field]).toEqual([key, 422, 'idempotency-key'])
    }
    expect(await countOf(alice, name)).toBe(0)
  })

  test('is equal with and without the quotes of a structured field', async () => {
    const [name, key] = [randomUUID(), randomUUID()]
    const first = await alice.post('/v1/archives/', { name }, named(`"${key}"`))
    expect((await alice.post('/v1/archives/', { name }, named(key))).body).toEqual(first.body)
  })

  test('gets a 409 with Retry-After while the first runs, and its response after that', async () => {
    const [name, headers] = [randomUUID(), named()]
    // The clock stands, so that the key stays known: the embedded database has one connection, and it is taken.
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
    const gate = Promise.withResolvers<void>()
    const reached = Promise.withResolvers<void>()
    const restore = intercept(async (run) => {
      reached.resolve()
      await gate.promise
      return run()
    })
    const first = alice.post('/v1/archives/', { name }, headers)
    await reached.promise
    restore()
    const meanwhile = await alice.post('/v1/archives/', { name }, headers)
    gate.resolve()
    vi.useRealTimers()
    const shown = ['x-should-retry', 'retry-after'].map((header) => meanwhile.headers[header])
    expect([meanwhile.status, ...shown]).toEqual([409, 'true', '1'])
    const answer = comparable(await first)
    expect(comparable(await alice.post('/v1/archives/', { name }, headers))).toEqual(answer)
    expect(await countOf(alice, name)).toBe(1)
  })

  test('that failed runs again: its error is not stored', async () => {
    const [name, headers] = [randomUUID(), named()]
    expect((await alice.post('/v1/folders/', { name, unknown: 1 }, headers)).status).toBe(422)
    const { id } = (await alice.post('/v1/folders/', { name })).body
    const taken = await alice.post('/v1/folders/', { name }, headers)
    expect([taken.status, taken.headers['x-should-retry']]).toEqual([409, 'false'])
    await alice.delete(`/v1/folders/${id}`)
    expect((await alice.post('/v1/folders/', { name }, headers)).status).toBe(200)
  })

  test('reports a value that is too long like any other request', async () => {
    const { id } = (await alice.post('/v1/blocks/', { label: 'x', value: '1', limit: 3 })).body
    const plain = await alice.patch(`/v1/blocks/${id}`, { value: '1234' })
    const reply = await alice.patch(`/v1/blocks/${id}`, { value: '1234' }, named())
    expect([reply.status, reply.body.detail]).toEqual([422, plain.body.detail])
    expect(plain.status).toBe(422)
  })

  test('is stored for 24 hours, and then deleted', async () => {
    const [name, headers] = [randomUUID(), named()]
    const { kysely } = server.database
    await alice.post('/v1/archives/', { name }, headers)
    const kept = sql<{ hours: number; id: string }>`select id,
      round(extract(epoch from expires_at - now()) / 3600)::int as hours from kept_answers order by expires_at desc limit 1`
    const { id, hours } = (await kept.execute(kysely)).rows[0]!
    expect(hours).toBe(24)
    await sql`update kept_answers set expires_at = now() where id = ${id}`.execute(kysely)
    expect((await alice.post('/v1/archives/', { name }, headers)).status).toBe(200)
    expect(await countOf(alice, name)).toBe(2)
    await sql`insert into kept_answers (organization_id, id, answer, expires_at)
      select ${server.organizations.alice}, 'old' || n, '', now() from generate_series(1, 2500) as n`.execute(kysely)
    await deleteExpiredResponses(server.database)
    const left = await sql<{ id: string }>`select id from kept_answers where id like 'old%' or id = ${id}`.execute(
      kysely,
    )
    expect(left.rows).toEqual([{ id }])
  })

  test('leaves nothing readable in the database: no secret, no new key, nothing of the request', async () => {
    const secret = `secret-${randomUUID()}`
    const key = randomUUID()
    const agent = await alice.post('/v1/agents/', { name: 'A', secrets: { TOKEN: secret } }, named(key))
    expect(JSON.stringify(agent.body)).toContain(secret)
    const made = await alice.post('/v1/api-keys/', { name: 'new', scopes: ['read'] }, named(key))
    const { rows } = await sql<{ row: string }>`select to_jsonb(k)::text as row from kept_answers k`.execute(
      server.database.kysely,
    )
    const stored = rows.map(({ row }) => row).join('\n')
    for (const text of [secret, made.body.key, agent.body.id, key]) expect(stored).not.toContain(text)
    expect((await alice.post('/v1/api-keys/', { name: 'new', scopes: ['read'] }, named(key))).body).toEqual(made.body)
  })

  test('that revokes a key takes effect with its commit', async () => {
    const reader = await server.withScopes('read')
    const { id } = (await alice.get('/v1/api-keys/?limit=1')).body[0]
    expect((await reader.get('/v1/archives/')).status).toBe(200)
    expect((await alice.delete(`/v1/api-keys/${id}`, named())).status).toBe(200)
    expect((await reader.get('/v1/archives/')).status).toBe(401)
  })
})

describe('a request of an SDK that it sends again', () => {
  test('gets the response of the first attempt, and runs once', async () => {
    const name = randomUUID()
    const first = await alice.post('/v1/archives/', { name }, attempt(0))
    for (const count of [1, 2]) {
      const again = await alice.post('/v1/archives/', { name }, attempt(count))
      expect([comparable(again), again.headers['idempotent-replayed']]).toEqual([comparable(first), 'true'])
    }
    expect(await countOf(alice, name)).toBe(1)
  })

  test('while that one is in flight waits for it', async () => {
    const name = randomUUID()
    const all = await Promise.all([0, 1, 2].map((count) => alice.post('/v1/archives/', { name }, attempt(count))))
    expect(new Set(all.map((reply) => JSON.stringify(comparable(reply)))).size).toBe(1)
    expect(all[0]!.status).toBe(200)
    expect(await countOf(alice, name)).toBe(1)
  })

  test('is run when the one before never arrived, once', async () => {
    const name = randomUUID()
    const [one, two] = [
      await alice.post('/v1/archives/', { name }, attempt(1)),
      await alice.post('/v1/archives/', { name }, attempt(2)),
    ]
    expect(comparable(two)).toEqual(comparable(one))
    expect(await countOf(alice, name)).toBe(1)
  })

  test('is another one for another key, path or body, and so are equal ones that nobody sent again', async () => {
    const name = randomUUID()
    const { id } = (await alice.post('/v1/archives/', { name }, attempt(0))).body
    const deliberate = await alice.post('/v1/archives/', { name }, attempt(0))
    expect(deliberate.body.id).not.toBe(id)
    // The latest of them is the one that is sent again.
    expect((await alice.post('/v1/archives/', { name }, attempt(1))).body.id).toBe(deliberate.body.id)
    await bob.post('/v1/archives/', { name }, attempt(1))
    await alice.post('/v1/archives/', { name, description: 'x' }, attempt(1))
    expect([await countOf(alice, name), await countOf(bob, name)]).toEqual([3, 1])
  })

  test('does not undo other writes since its first attempt', async () => {
    const { id } = (await alice.post('/v1/blocks/', { label: 'x', value: 'old' })).body
    await alice.patch(`/v1/blocks/${id}`, { value: 'mine' }, attempt(0))
    await alice.patch(`/v1/blocks/${id}`, { value: 'theirs' })
    expect((await alice.patch(`/v1/blocks/${id}`, { value: 'mine' }, attempt(1))).body.value).toBe('mine')
    expect((await alice.get(`/v1/blocks/${id}`)).body.value).toBe('theirs')
  })

  test('runs when its first attempt failed, though an equal request succeeded earlier', async () => {
    const name = randomUUID()
    const fail = async (send: () => Promise<Reply<unknown>>) => {
      const restore = intercept(() => Promise.reject(Object.assign(new Error('gone'), { code: '57P01' })))
      return send().finally(restore)
    }
    await alice.post('/v1/archives/', { name }, attempt(0))
    expect((await fail(() => alice.post('/v1/archives/', { name }, attempt(0)))).status).toBe(503)
    expect((await fail(() => alice.post('/v1/archives/', { name }, attempt(1)))).status).toBe(503)
    const third = await alice.post('/v1/archives/', { name }, attempt(2))
    expect([third.status, third.headers['idempotent-replayed']]).toEqual([200, undefined])
    expect(await countOf(alice, name)).toBe(2)
  })
})

test.each([
  ['with a key', named('of the lost commit'), named('of the lost commit')],
  ['of an SDK', attempt(0), attempt(1)],
])('a request %s whose commit may have happened or not runs once, if it is sent again', async (_, first, again) => {
  const name = randomUUID()
  const restore = intercept(async (run) => {
    await run()
    throw Object.assign(new Error('gone'), { code: '08006' })
  }, /^commit$/)
  const lost = await alice.post('/v1/archives/', { name }, first).finally(restore)
  expect(lost.status).toBe(503)
  expect((await alice.post('/v1/archives/', { name }, again)).headers['idempotent-replayed']).toBe('true')
  expect(await countOf(alice, name)).toBe(1)
})

test('a running server deletes expired responses every minute', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  const another = await startTestServer()
  const { kysely } = another.database
  try {
    await sql`insert into kept_answers (organization_id, id, answer, expires_at)
      values (${another.organizations.alice}, 'old', '', now())`.execute(kysely)
    vi.advanceTimersByTime(60_000)
    await another.app.close()
    expect((await sql`select from kept_answers`.execute(kysely)).rows).toEqual([])
  } finally {
    vi.useRealTimers()
    await another.close()
  }
})

test('a request that is neither named nor an SDK’s costs no statement more', async () => {
  const cost = async (headers: Record<string, string>) => {
    await alice.get('/v1/archives/')
    const { result, statements } = await countStatements(() => alice.post('/v1/archives/', { name: 'x' }, headers))
    expect(result.status).toBe(200)
    return statements
  }
  // The beginning, the claim, the keeping and the end.
  expect([await cost({}), await cost(named()), await cost(attempt(0))]).toEqual([1, 5, 5])
})

test('every operation that changes something says that it heeds Idempotency-Key', () => {
  const silent = operationsOf(server.app).filter(
    ({ method, parameters = [] }) =>
      ['POST', 'PATCH', 'DELETE'].includes(method) !== parameters.some(({ name }) => name === 'idempotency-key'),
  )
  expect(silent.map(({ operationId }) => operationId)).toEqual([])
  expect(operationsOf(server.app).filter(bodyOf).length).toBeGreaterThan(10)
})
