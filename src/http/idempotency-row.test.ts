import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { pino } from 'pino'
import { Type } from 'typebox'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../../test/server.ts'
import { addIdempotency } from './idempotency.ts'
import { claimOf, reused } from './idempotency-key.ts'
import { prepared } from './prepared.ts'
import { type App, createServer, withSchemaTypes } from './server.ts'

let server: TestServer
let app: App
/** How often the row route has done its work, and how often a first phase has run. */
let [worked, begun] = [0, 0]

const Body = Type.Object({ name: Type.String() })
const Row = Type.Object({ id: Type.String() })
const schema = { body: Body, response: { 200: Row } }

/** Whether the code runs inside a transaction: the database refuses statements beside one. */
const inTransaction = () =>
  sql`select 1`.execute(server.database.kysely).then(
    () => false,
    () => true,
  )

beforeAll(async () => {
  server = await startTestServer()
  const proxy = { trustProxy: [], basePath: '' }
  app = withSchemaTypes(
    createServer({ bodyLimit: 1000, requestTimeout: 300, logger: pino({ level: 'silent' }), shapes: [], proxy }),
  )
  app.addHook('onRequest', async (request) => {
    request.scope = server.scopeOf(server.organizations[request.headers.from === 'bob' ? 'bob' : 'alice'])
  })
  await app.register(async (api) => {
    addIdempotency(api.withTypeProvider())
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
  })
  await app.ready()
})
afterAll(async () => {
  await app.close()
  await server.close()
})

const post = async (url: string, name: string, key?: string, from = 'alice') => {
  const headers = { authorization: 'Bearer key', from, ...(key && { 'idempotency-key': key }) }
  const { statusCode, body } = await app.inject({ method: 'POST', url, payload: { name }, headers })
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
