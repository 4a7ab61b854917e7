import { sql } from 'kysely'
import { expect, inject, test } from 'vitest'
import { useTestServer } from '../../../test/server.ts'

const server = useTestServer()
const search = (statement: ReturnType<typeof sql>, signal: AbortSignal) =>
  server.scopeOf(server.organizations.alice).search(statement, signal)

test('a search whose caller has left is not begun', async () => {
  const before = sql`insert into settings (name, value) values ('begun', '1') returning name`
  await expect(search(before, AbortSignal.abort())).rejects.toMatchObject({ code: 'unavailable' })
  const rows = await search(sql`select value from settings where name = 'begun'`, new AbortController().signal)
  expect(rows).toEqual([])
})

test('a search that fails reports its own error, and others go on', async () => {
  await expect(search(sql`select 1 / 0`, new AbortController().signal)).rejects.toMatchObject({ code: '22012' })
  expect(await search(sql`select 1 as one`, new AbortController().signal)).toEqual([{ one: 1 }])
})

const sleeping = sql<{ count: number }>`select count(*)::int as count from pg_stat_activity
  where query like 'select pg_sleep(%' and datname = current_database() and state = 'active'`

// The embedded database runs one statement at a time, and can't end it.
test.runIf(inject('template').server)('a search ends at the database when its caller leaves', async () => {
  const left = new AbortController()
  const found = search(sql`select pg_sleep(1000)`, left.signal).catch((error) => error)
  while ((await sleeping.execute(server.database.kysely)).rows[0]!.count === 0);
  left.abort()
  expect(await found).toMatchObject({ code: 'unavailable', cause: { code: '57014' } })
  while ((await sleeping.execute(server.database.kysely)).rows[0]!.count > 0);
  expect((await server.alice.get('/v1/agents/')).status).toBe(200)
})
