import { sql } from 'kysely'
import pg from 'pg'
import { afterEach, beforeEach, expect, inject, test, vi } from 'vitest'
import { useTestServer } from '../../test/server.ts'

const server = useTestServer()

beforeEach(async () => {
  const { kysely } = server.database
  await sql`create or replace function fail() returns trigger language plpgsql as $$ begin
    raise exception 'not now' using errcode = tg_argv[0]; end $$`.execute(kysely)
})
afterEach(() => sql`drop function fail() cascade`.execute(server.database.kysely))

test.each([
  ['is out of space', '53100', 'The disk of the database is full. Try again.'],
  ['is read-only', '25006', 'The database is read-only at the moment. Try again.'],
  ['takes too long', '57014', 'The database took too long. Try again.'],
  ['cannot write', '58030', 'The database cannot be reached at the moment. Try again.'],
  ['is shutting down', '57P01', 'The database cannot be reached at the moment. Try again.'],
])('a request gets 503 while the database %s', async (_, code, detail) => {
  const { database, alice } = server
  await sql`create trigger fails before insert on blocks execute function fail(${sql.lit(code)})`.execute(
    database.kysely,
  )
  const body = { label: 'x', value: 'x' }
  for (const headers of [{}, { 'idempotency-key': code }]) {
    expect(await alice.post('/v1/blocks/', body, headers)).toMatchObject({
      status: 503,
      headers: { 'retry-after': '1' },
      body: { code: 'unavailable', detail },
    })
  }
})

const { server: postgres } = inject('template')

test.skipIf(!postgres)('a server whose database is read-only reads, and is not ready until it can write', async () => {
  const { database, alice } = server
  const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(database.kysely)
  const { name } = rows[0]!
  const admin = new pg.Client(postgres!.url)
  await admin.connect()
  const become = async (readOnly: boolean) => {
    await admin.query(`alter database ${name} set default_transaction_read_only = ${readOnly}`)
    await admin.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name])
  }
  const statuses = async () => [
    (await alice.get('/v1/ready/')).status,
    (await alice.get('/v1/blocks/')).status,
    (await alice.post('/v1/blocks/', { label: 'x', value: 'x' })).status,
  ]
  await become(true)
  await vi.waitFor(async () => expect(await statuses()).toEqual([503, 200, 503]))
  await become(false)
  await vi.waitFor(async () => expect(await statuses()).toEqual([200, 200, 200]))
  await admin.end()
})
