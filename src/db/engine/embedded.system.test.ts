import { mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { sql } from 'kysely'
import pg from 'pg'
import { expect, test, vi } from 'vitest'
import { openDatabase } from './database.ts'
import { openEmbedded } from './embedded.ts'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** What the process holds, its threads included, in bytes. */
function held(): number {
  collectGarbage()
  return process.memoryUsage().rss
}

test('an answer of the embedded database is given whole, whatever its length, and not kept once it is read', async () => {
  const embedded = await openEmbedded(undefined)
  const pool = new pg.Pool(embedded.poolConfig)
  const ask = async (length: number) =>
    (await pool.query('select repeat($1, $2) as text', ['x', length])).rows[0].text as string
  const lengths = [0, 1, 8_191, 8_192, 1_048_575, 1_048_576, 5_000_000, 3]
  for (const length of lengths) expect(await ask(length)).toBe('x'.repeat(length))

  const before = held()
  for (let n = 0; n < 400; n++) await ask(1_000_000)
  expect(held() - before).toBeLessThan(200_000_000)

  await pool.end()
  await embedded.close()
})

test('statements sent together to the embedded database get each its own answer, and an error only its own', async () => {
  const embedded = await openEmbedded(undefined)
  const pool = new pg.Pool(embedded.poolConfig)
  const asked = Array.from({ length: 50 }, (_, n) => pool.query('select 100 / $1::int as quotient', [n % 5]))
  const answers = await Promise.allSettled(asked)
  for (const [n, answer] of answers.entries()) {
    if (n % 5 === 0) expect(answer).toMatchObject({ status: 'rejected', reason: { code: '22012' } })
    else expect(answer).toMatchObject({ value: { rows: [{ quotient: Math.floor(100 / (n % 5)) }] } })
  }
  await pool.end()
  await embedded.close()
})

test('other work goes on while a statement takes its time', async () => {
  const embedded = await openEmbedded(undefined)
  const pool = new pg.Pool(embedded.poolConfig)
  let turns = 0
  let done = false
  const turn = () => {
    turns++
    if (!done) setImmediate(turn)
  }
  turn()
  const { rows } = await pool.query('select count(*)::int as count from generate_series(1, 1000000)')
  done = true
  expect(rows).toEqual([{ count: 1_000_000 }])
  expect(turns).toBeGreaterThan(100)
  await pool.end()
  await embedded.close()
})

test('a transaction gets its turn among statements that never end', async () => {
  const database = await openDatabase({ databaseUrl: 'memory:', dataDir: '', poolSize: 1 })
  let done = false
  let statements = 0
  const count = async () => {
    while (!done) {
      await database.read(sql`select 1`.compile(database.kysely))
      statements++
    }
  }
  const readers = Array.from({ length: 20 }, count)
  for (let n = 0; n < 10; n++) {
    const before = statements
    await database.transaction(async (trx) => {
      await sql`select ${n}`.execute(trx)
      const held = statements
      await sql`select ${n}`.execute(trx)
      expect(statements - held).toBe(0)
    })
    expect(statements - before).toBeLessThan(200)
  }
  done = true
  await Promise.all(readers)
  await database.close()
})

test('however many statements there are, the database holds a bounded number of them', async () => {
  const database = await openDatabase({ databaseUrl: 'memory:', dataDir: '', poolSize: 1 })
  const columns = sql.raw(Array.from({ length: 400 }, (_, n) => `n + ${n} as column_${n}`).join(', '))
  for (let n = 0; n < 80; n++) {
    const statement = sql`select ${columns} from (select ${n}::int as n) as statement_${sql.raw(String(n))}`
    for (let times = 0; times < 2; times++) await database.read(statement.compile(database.kysely))
  }
  const held = sql<{ count: number; length: number; bytes: number }>`select
    (select count(*)::int from pg_prepared_statements) as count,
    (select sum(length(statement))::int from pg_prepared_statements) as length,
    (select sum(total_bytes)::int from pg_backend_memory_contexts) as bytes`
  const [{ count, length, bytes }] = (await held.execute(database.kysely)).rows as [
    { count: number; length: number; bytes: number },
  ]
  expect(count).toBeGreaterThan(10)
  expect(length).toBeLessThan(510_000)
  expect(bytes).toBeLessThan(100_000_000)
  await database.close()
})

test('a value nested too deeply fails its statement alone', async () => {
  const embedded = await openEmbedded(undefined)
  const pool = new pg.Pool(embedded.poolConfig)
  const depth = 100_000
  const nested = ['['.repeat(depth) + ']'.repeat(depth)]
  await expect(pool.query('select $1::jsonb', nested)).rejects.toMatchObject({ code: '54001' })
  const expression = ['a', `${'('.repeat(depth / 5)}a${')'.repeat(depth / 5)}`]
  expect((await pool.query('select $1 ~ $2 as found', expression)).rows).toEqual([{ found: true }])
  await pool.end()
  await embedded.close()
})

test('a database that cannot write its log fails its statements as unavailable, and goes on once it can', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'cairn-panic-'))
  const embedded = await openEmbedded(join(directory, 'database'))
  const pool = new pg.Pool(embedded.poolConfig)
  await pool.query('create table kept (n integer)')
  await pool.query('insert into kept values (1)')
  const log = join(directory, 'database', 'pg_wal')
  renameSync(log, join(directory, 'away'))
  const write = () => pool.query('select pg_switch_wal()').then(() => pool.query('insert into kept values (2)'))
  await expect(write()).rejects.toMatchObject({ code: '57P02', message: expect.stringContaining('pg_wal') })
  await expect(pool.query('select 1')).rejects.toMatchObject({ code: '57P02' })
  renameSync(join(directory, 'away'), log)
  await vi.waitFor(async () => expect((await pool.query('select n from kept')).rows).toEqual([{ n: 1 }]), {
    timeout: 50_000,
    interval: 100,
  })
  await pool.end()
  await embedded.close()
  rmSync(directory, { recursive: true })
})

test('a database that cannot be opened says why', async () => {
  await expect(openEmbedded('/dev/null/database')).rejects.toThrow(/ENOTDIR|not a directory/i)
})
