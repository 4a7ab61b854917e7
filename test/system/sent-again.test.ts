import { randomInt, randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Database } from '../../src/db/engine/database.ts'
import { type Answer, caller, createMigratedStore, type Store } from '../process.ts'

// Several starts of a real server in one test, on a machine that may be busy.
vi.setConfig({ testTimeout: 180_000 })

const KEY = 'key-of-the-test'
const CLIENTS = 4
const postgres = Boolean(process.env.TEST_DATABASE_URL)

let store: Store
beforeEach(async () => {
  store = await createMigratedStore()
})
afterEach(() => store.drop())

const serve = () => store.serve({ CAIRN_API_KEY: KEY, LOG_LEVEL: 'warn' })
const named = (key: string) => ({ 'idempotency-key': key })
const attempt = (count: number) => ({ 'x-stainless-retry-count': `${count}` })

test('a request that a server was killed over runs once when it is retried on another', async () => {
  const server = await serve()
  const call = caller(server.url, KEY)
  /** The sent names with their responses: half of the requests with a key, half with an SDK's headers. */
  const sent = new Map<string, Answer | undefined>()
  const headersOf = (name: string, count: number) => (name.endsWith('key') ? named(name) : attempt(count))
  let left = randomInt(20, 100)
  const write = async () => {
    for (;;) {
      const name = randomUUID() + (sent.size % 2 ? 'key' : 'sdk')
      sent.set(name, undefined)
      sent.set(name, await call('POST', '/v1/archives/', { name }, headersOf(name, 0)))
      if (--left === 0) await server.kill('SIGKILL')
    }
  }
  await Promise.allSettled(Array.from({ length: CLIENTS }, write))
  expect([...sent.values()].filter((answer) => answer === undefined).length).toBeGreaterThan(0)

  const next = await serve()
  const again = caller(next.url, KEY)
  for (const [name, answer] of sent) {
    const { status, body, headers } = await again('POST', '/v1/archives/', { name }, headersOf(name, 1))
    expect(status).toBe(200)
    if (answer) expect([body, headers.get('idempotent-replayed')]).toEqual([answer.body, 'true'])
    expect((await again('GET', `/v1/archives/?name=${name}`)).body).toEqual([body])
  }
})

/** Waits until the locks of the database fulfil a condition. */
async function until(database: Database, count: ReturnType<typeof sql<{ n: number }>>, n: number): Promise<void> {
  await expect.poll(async () => (await count.execute(database.kysely)).rows[0]!.n, { timeout: 30_000 }).toBe(n)
}

test.skipIf(!postgres)('two servers on one database run a retried request once', async () => {
  const [one, two] = [await serve(), await serve()].map(({ url }) => caller(url, KEY))
  const database = await store.open()
  // A second connection looks on while the first holds every insert up.
  const watcher = await store.open()
  const here = sql`database = (select oid from pg_database where datname = current_database())`
  const held = sql<{ n: number }>`select count(*)::int as n from pg_locks
    where ${here} and relation = 'archives'::regclass and not granted`
  const waiting = sql<{ n: number }>`select count(*)::int as n from pg_locks
    where ${here} and locktype = 'advisory' and not granted`
  try {
    const [byKey, bySdk] = [randomUUID(), randomUUID()]
    const send = (call: typeof one, name: string, headers: Record<string, string>) =>
      call!('POST', '/v1/archives/', { name }, headers)
    const answers = await database.transaction(async (trx) => {
      await sql`lock table archives in share mode`.execute(trx)
      const firsts = [send(one, byKey, named(byKey)), send(one, bySdk, attempt(0))]
      await until(watcher, held, 2)
      const refused = await send(two, byKey, named(byKey))
      expect([refused.status, refused.headers.get('x-should-retry')]).toEqual([409, 'true'])
      const repeated = send(two, bySdk, attempt(1))
      await until(watcher, waiting, 1)
      return [...firsts, repeated]
    })
    const [first, original, repetition] = await Promise.all(answers)
    expect([first!.status, original!.status]).toEqual([200, 200])
    expect((await send(two, byKey, named(byKey))).body).toEqual(first!.body)
    expect(repetition!.body).toEqual(original!.body)
    for (const name of [byKey, bySdk]) expect((await one!('GET', `/v1/archives/?name=${name}`)).body).toHaveLength(1)
  } finally {
    await watcher.close()
    await database.close()
  }
})

test.skipIf(!postgres)('many callers with one key on many servers make one row', async () => {
  const calls = [await serve(), await serve()].map(({ url }) => caller(url, KEY))
  for (let round = 0; round < 20; round++) {
    const name = randomUUID()
    const send = (n: number) => calls[n % 2]!('POST', '/v1/archives/', { name }, named(name))
    const answers = await Promise.all([0, 1, 2, 3].map(send))
    expect(answers.filter(({ status }) => status !== 200 && status !== 409)).toEqual([])
    const made = new Set(answers.filter(({ status }) => status === 200).map(({ body }) => body.id))
    expect(made.size).toBe(1)
    expect((await calls[0]!('GET', `/v1/archives/?name=${name}`)).body).toHaveLength(1)
  }
})
