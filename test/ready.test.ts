import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestServer, type TestServer } from './server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

test('a server is ready once there is a key to use it with, and runs before', async () => {
  const { alice, database } = server
  expect(await alice.get('/v1/ready/')).toMatchObject({ status: 200, body: { status: 'ok' } })
  await sql`truncate organizations cascade`.execute(database.kysely)
  expect(await alice.get('/v1/ready/')).toMatchObject({
    status: 503,
    headers: { 'retry-after': '1' },
    body: { code: 'unavailable' },
  })
  expect((await alice.get('/v1/health/')).status).toBe(200)
})
