import { randomInt } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { check, type Ledger, ok, write } from '../ledger.ts'
import { caller, createMigratedStore, type Store } from '../process.ts'

const ROUNDS = 4
const CLIENTS = 4
const KEY = 'key-of-the-crash-test'

let store: Store
beforeAll(async () => {
  store = await createMigratedStore()
})
afterAll(() => store.drop())

test('a server killed at any moment under load loses no acknowledged write and stores no partial one', {
  timeout: 240_000,
}, async () => {
  const ledger: Ledger = { counters: [], agents: new Map() }
  for (let round = 0; round < ROUNDS; round++) {
    const server = await store.serve({ CAIRN_API_KEY: KEY, LOG_LEVEL: 'warn' })
    const call = caller(server.url, KEY)
    if (round === 0) {
      for (let client = 0; client < CLIENTS; client++) {
        const { id } = ok(await call('POST', '/v1/blocks', { label: 'counter', value: '0' }))
        ledger.counters.push({ id, sent: 0, acknowledged: 0 })
      }
    }
    await check(call, ledger)

    let left = randomInt(20, 200)
    const killed = Promise.withResolvers<unknown>()
    const acknowledged = () => {
      if (--left === 0) killed.resolve(server.kill('SIGKILL'))
    }
    const writers = Array.from({ length: CLIENTS }, (_, n) => write(call, ledger, n, round, acknowledged))
    for (const { reason } of (await Promise.allSettled(writers)) as PromiseRejectedResult[]) {
      // Nothing but the broken connection ends a writer.
      expect(reason).toBeInstanceOf(TypeError)
    }
    expect(await killed.promise).toMatchObject({ signal: 'SIGKILL' })
  }
  const server = await store.serve({ LOG_LEVEL: 'warn' })
  await check(caller(server.url, KEY), ledger)
  expect(await server.kill('SIGTERM')).toMatchObject({ code: 0 })

  const database = await store.open()
  const { rows } = await sql<{ versions: number[] }>`select jsonb_agg(version order by sequence) as versions
    from revisions where operation <> 'delete' group by resource_id`.execute(database.kysely)
  await database.close()
  for (const { versions } of rows) expect(versions).toEqual(versions.map((_, n) => n + 1))
})
