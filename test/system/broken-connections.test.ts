import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import pg from 'pg'
import { afterEach, describe, expect, inject, test, vi } from 'vitest'
import { type Call, check, type Ledger, ok, write } from '../ledger.ts'
import { type OwnPostgres, startOwnPostgres } from '../own-postgres.ts'
import { type Answer, caller, createMigratedStore, createStore, refusal, type Server, type Store } from '../process.ts'

// A server under load, on a machine that may be busy.
vi.setConfig({ testTimeout: 300_000 })

const KEY = 'key-of-the-broken-connections'
const WRITERS = 4
const { server: postgres } = inject('template')

let store: Store
let own: OwnPostgres | undefined
afterEach(async () => {
  await store?.drop()
  await own?.drop()
  own = undefined
})

/** Ends the loops of a load. */
const DONE = new Error('done')

/** What the clients of a load have seen. */
interface Load {
  statuses: Set<number>
  ledger: Ledger
  /** Names of archives that were created without a key of idempotency: those acknowledged, and all. */
  archives: { acknowledged: string[]; sent: string[] }
}

/**
 * Reads, writes, creates agents and archives until `disturb` has ended. `next` awaits an acknowledged write. Requests that get
 * a 503 are sent again with their key of idempotency, so that each write happens once.
 */
async function load(server: Server, disturb: (next: () => Promise<void>) => Promise<void>): Promise<Load> {
  const seen: Load = {
    statuses: new Set(),
    ledger: { counters: [], agents: new Map() },
    archives: { acknowledged: [], sent: [] },
  }
  let done = false
  let progress = Promise.withResolvers<void>()
  const acknowledged = () => {
    if (done) throw DONE
    progress.resolve()
    progress = Promise.withResolvers()
  }
  const once = caller(server.url, KEY)
  const call: Call = async (...request) => {
    const answer = await once(...request)
    seen.statuses.add(answer.status)
    return answer
  }
  const again: Call = async (method, path, body) => {
    const headers = { 'idempotency-key': randomUUID() }
    for (;;) {
      const answer = await call(method, path, body, headers)
      // 409: the server is about to notice that the attempt before has failed.
      if (![409, 503].includes(answer.status)) return answer
    }
  }
  for (let n = 0; n < WRITERS; n++) {
    const { id } = ok(await again('POST', '/v1/blocks', { label: 'counter', value: '0' }))
    seen.ledger.counters.push({ id, sent: 0, acknowledged: 0 })
  }
  const read = async () => {
    while (!done) await call('GET', '/v1/agents?limit=10&include=agent.blocks')
  }
  const create = async () => {
    for (let n = 0; !done; n++) {
      const name = `archive ${n}`
      seen.archives.sent.push(name)
      const { status }: Answer = await call('POST', '/v1/archives', { name })
      if (status === 200) seen.archives.acknowledged.push(name)
    }
  }
  const writers = seen.ledger.counters.map((_, n) => write(again, seen.ledger, n, 0, acknowledged))
  const others = [read(), read(), create()]
  await Promise.race([disturb(() => progress.promise), ...writers, ...others])
  done = true
  for (const end of await Promise.allSettled(writers)) expect(end).toEqual({ status: 'rejected', reason: DONE })
  await Promise.all(others)
  return seen
}

/** The server lives, and stored every acknowledged write once and whole. */
async function checkAll(server: Server, { statuses, ledger, archives }: Load): Promise<void> {
  expect([...statuses].filter((status) => ![200, 204, 409, 503].includes(status))).toEqual([])
  expect(statuses).toContain(503)
  const call = caller(server.url, KEY)
  await vi.waitFor(async () => expect((await call('GET', '/v1/ready')).status).toBe(200), { timeout: 30_000 })
  await check(call, ledger)
  const database = await store.open()
  const { rows } = await sql<{ name: string }>`select name from archives`.execute(database.kysely)
  await database.close()
  const names = rows.map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
  expect(archives.acknowledged.filter((name) => !names.includes(name))).toEqual([])
  expect(names.filter((name) => !archives.sent.includes(name))).toEqual([])
  expect(await server.kill('SIGTERM')).toMatchObject({ code: 0, errors: '' })
}

const serve = () => store.serve({ CAIRN_API_KEY: KEY, LOG_LEVEL: 'fatal' })

describe.skipIf(!postgres)('on PostgreSQL', () => {
  test('200 connections that break under load fail their requests with 503, and nothing else', async () => {
    store = await createMigratedStore()
    const server = await serve()
    const admin = new pg.Client(store.databaseUrl!)
    await admin.connect()
    const seen = await load(server, async (next) => {
      for (let killed = 0; killed < 200; ) {
        const { rowCount } = await admin.query(`select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and application_name = 'cairn' and state <> 'idle'
          order by random() limit 2`)
        killed += rowCount!
        if (rowCount) await next()
      }
    })
    await admin.end()
    await checkAll(server, seen)
  })

  test('two restarts of PostgreSQL under load fail requests with 503 meanwhile, and nothing else', async ({ skip }) => {
    own = await startOwnPostgres(postgres!.url)
    if (!own) return skip('the programs of PostgreSQL are on another machine')
    store = await createStore(undefined, { server: { url: own.url, database: 'cairn' } })
    const server = await serve()
    const seen = await load(server, async (next) => {
      for (const mode of ['fast', 'immediate'] as const) {
        for (let n = 0; n < 20; n++) await next()
        await own!.restart(mode)
      }
      for (let n = 0; n < 20; n++) await next()
    })
    await checkAll(server, seen)
  })

  // One table of each step of a start.
  test.each(['settings', 'jobs.queue', 'base_providers'])(
    'a start whose connection breaks at its %s ends with 1 and the reason, and the next start succeeds',
    async (table) => {
      store = await createMigratedStore()
      await (await serve()).kill('SIGTERM')
      const administer = async (...statements: string[]) => {
        const database = await store.open()
        for (const statement of statements) await sql.raw(statement).execute(database.kysely)
        await database.close()
      }
      await administer(
        `create function break_connection() returns trigger language plpgsql as $$ begin
          perform pg_terminate_backend(pg_backend_pid()); return null; end $$`,
        `create trigger breaks before insert or update or delete on ${table} execute function break_connection()`,
      )
      await refusal(store, [['node', 'src/main.ts']], 'The PostgreSQL server at', /terminat|ECONNRESET|EPIPE/)
      await administer(`drop function break_connection() cascade`)
      await serve()
    },
  )
})
