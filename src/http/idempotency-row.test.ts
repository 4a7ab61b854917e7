import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { pino } from 'pino'
import { Type } from 'typebox'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { startTestServer, type TestServer } from '../../test/server.ts'
import { ApiError } from '../lib/errors.ts'
import { addIdempotency } from './idempotency.ts'
import { claimOf, reused } from './idempotency-key.ts'
import { prepared } from './prepared.ts'
import { type App, createServer, withSchemaTypes } from './server.ts'

let server: TestServer
let app: App
/** Another server on the same database. */
let other: App
/** How often the row route has done its work, and how often a first phase has run. */
let [worked, begun] = [0, 0]
/** What the phases of the claimed route do. */
let [first, second] = [async () => {}, async () => {}]

const Body = Type.Object({ name: Type.String() })
const Row = Type.Object({ id: Type.String() })
const schema = { body: Body, response: { 200: Row } }

/** Whether the code runs inside a transaction: the database refuses statements beside one. */
const inTransaction = () =>
  sql`select 1`.execute(server.database.kysely).then(
    () => false,
    () => true,
  )

/** A server with a lease that ends after `seconds`. */
async function startApp(id: string, seconds: number) {
  await sql`insert into workers (id, lease_until) values (${id}, now() + make_interval(secs => ${seconds}))`.execute(
    server.database.kysely,
  )
  const proxy = { trustProxy: [], basePath: '' }
  const app = withSchemaTypes(
    createServer({ bodyLimit: 1000, requestTimeout: 300, logger: pino({ level: 'silent' }), shapes: [], proxy }),
  )
  app.addHook('onRequest', async (request) => {
    request.scope = server.scopeOf(server.organizations[request.headers.from === 'bob' ? 'bob' : 'alice'])
  })
  await app.register(async (api) => {
    addIdempotency(api.withTypeProvider(), id)
    const claims = new Map<string, { id: string; fingerprint: string }>()
    api.post('/rows', { config: { idempotency: 'row' }, schema }, async (request) => {
      const claim = claimOf(request)
      const key = claim && `${request.scope.organizationId} ${claim.id}`
      const held = key && claims.get(key)
      if (held) {
        if (held.fingerprint !== claim.fingerprint) throw reused()
        return { id: held.id }
      }
      worked++
      expect(await inTransaction()).toBe(false)
      const made = { id: randomUUID() }
      if (key) claims.set(key, { ...made, fingerprint: claim.fingerprint })
      return made
    })
    api.post('/flags', { schema }, async () => ({ id: String(await inTransaction()) }))
    api.post(
      '/phases',
      prepared({
        schema,
        async prepare() {
          begun++
          return inTransaction()
        },
        handle: async (_request, first) => ({ id: `${first} ${await inTransaction()} ${randomUUID()}` }),
      }),
    )
    api.post(
      '/claimed',
      prepared({
        schema,
        config: { idempotency: 'claimed' },
        async prepare() {
          begun++
          await first()
          return inTransaction()
        },
        async handle(_request, first) {
          await second()
          return { id: `${first} ${await inTransaction()} ${randomUUID()}` }
        },
      }),
    )
  })
  await app.ready()
  return app
}

beforeAll(async () => {
  server = await startTestServer()
  app = await startApp('one', 3600)
  other = await startApp('other', 3600)
})
afterAll(async () => {
  await app.close()
  await other.close()
  await server.close()
})

const post = async (url: string, name: string, key?: string, from = 'alice', to = app) => {
  const headers = { authorization: 'Bearer key', from, ...(key && { 'idempotency-key': key }) }
  const { statusCode, body } = await to.inject({ method: 'POST', url, payload: { name }, headers })
  return { status: statusCode, body: JSON.parse(body) }
}

test('a route whose row is the claim runs in no transaction, and once for one key', async () => {
  const key = randomUUID()
  const first = await post('/rows', 'one', key)
  expect(first.status).toBe(200)
  expect(await post('/rows', 'one', key)).toEqual(first)
  expect(worked).toBe(1)
  expect((await post('/rows', 'one', key, 'bob')).body.id).not.toBe(first.body.id)
  expect((await post('/rows', 'two', key)).body.errors[0].field).toBe('idempotency-key')
  const others = [await post('/rows', 'one'), await post('/rows', 'one')]
  expect(new Set(others.map(({ body }) => body.id)).size).toBe(2)
})

test('any other route runs in a transaction when its request has a key', async () => {
  expect((await post('/flags', 'one', randomUUID())).body.id).toBe('true')
  expect((await post('/flags', 'one')).body.id).toBe('false')
})

test('the first phase of a route runs outside the transaction of the second', async () => {
  const key = randomUUID()
  const first = await post('/phases', 'one', key)
  expect(first.body.id).toMatch(/^false true /)
  expect(await post('/phases', 'one', key)).toEqual(first)
  expect(begun).toBe(2)
  expect((await post('/phases', 'one')).body.id).toMatch(/^false false /)
})

describe('work with effects elsewhere', () => {
  beforeEach(() => {
    begun = 0
    first = second = async () => {}
  })

  test('is done once for one key, of one organization, and its result is sent again', async () => {
    const key = randomUUID()
    const done = await post('/claimed', 'one', key)
    expect(done.body.id).toMatch(/^false true /)
    expect(await post('/claimed', 'one', key)).toEqual(done)
    expect(await post('/claimed', 'one', key, 'alice', other)).toEqual(done)
    expect(begun).toBe(1)
    expect((await post('/claimed', 'two', key)).status).toBe(422)
    expect((await post('/claimed', 'one', key, 'bob')).body.id).not.toBe(done.body.id)
  })

  test('is not begun again while it goes on at any server, nor when its server ended meanwhile', async () => {
    const [key, gate, reached] = [randomUUID(), Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    first = () => {
      reached.resolve()
      return gate.promise
    }
    const going = post('/claimed', 'one', key)
    await reached.promise
    for (const to of [app, other]) {
      const { status, body } = await post('/claimed', 'one', key, 'alice', to)
      expect([status, body.detail]).toEqual([409, expect.stringContaining('at the moment')])
    }
    const late = async () => {
      const { status, body } = await post('/claimed', 'one', key, 'alice', other)
      expect([status, body.detail]).toEqual([409, expect.stringContaining('not known')])
    }
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 16 * 60_000 })
    await late().finally(() => vi.useRealTimers())
    await sql`update workers set lease_until = now() where id = 'one'`.execute(server.database.kysely)
    await late()
    gate.resolve()
    expect((await going).status).toBe(200)
    expect(await post('/claimed', 'one', key, 'alice', other)).toEqual(await going)
    expect(begun).toBe(1)
  })

  test('that failed is begun again, unless it was done and its result could not be stored', async () => {
    const [failed, done] = [randomUUID(), randomUUID()]
    first = () => Promise.reject(new ApiError('bad_gateway', 'The service is gone.'))
    expect((await post('/claimed', 'one', failed)).status).toBe(502)
    first = async () => {}
    expect((await post('/claimed', 'one', failed)).status).toBe(200)
    second = () => Promise.reject(new ApiError('unavailable', 'The database is gone.'))
    expect((await post('/claimed', 'one', done)).status).toBe(503)
    second = async () => {}
    const { status, body } = await post('/claimed', 'one', done)
    expect([status, body.detail]).toEqual([409, expect.stringContaining('not known')])
    expect(begun).toBe(3)
  })
})
