import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { useTestServer } from './server.ts'

const server = useTestServer()

test('a server runs before it has a key, and is ready once it has one', async () => {
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
