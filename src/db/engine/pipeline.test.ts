import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { createPipeline } from './pipeline.ts'

const url = inject('template').server?.url

// The embedded database has one connection; what shares it is tested beside it.
describe.skipIf(!url)('statements that share connections', () => {
  const shared = { minConnections: 2, maxStatements: 16, stallAfterMs: 5 }
  let pool: pg.Pool
  beforeAll(() => {
    pool = new pg.Pool({ connectionString: url, max: 4, pipeline: true } as pg.PoolConfig)
    pool.on('error', () => {})
  })
  afterAll(() => pool.end())

  test('each get their own answer, on as many connections as are meant for them', async () => {
    const query = createPipeline(pool, { ...shared, maxConnections: 2 })
    const numbers = Array.from({ length: 1000 }, (_, n) => n)
    const rows = await Promise.all(
      numbers.map((n) =>
        query<{ n: number; pid: number }>({ text: 'select $1::int as n, pg_backend_pid() as pid', values: [n] }),
      ),
    )
    expect(rows.map(([row]) => row!.n)).toEqual(numbers)
    expect(new Set(rows.map(([row]) => row!.pid)).size).toBeLessThanOrEqual(2)
    expect(pool.idleCount).toBe(pool.totalCount)
  })

  test('are no more to a connection than are meant to be', async () => {
    const query = createPipeline(pool, { maxConnections: 4, minConnections: 1, maxStatements: 2, stallAfterMs: 10_000 })
    const rows = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        query<{ pid: number }>({ text: 'select pg_backend_pid() as pid, $1::int', values: [n] }),
      ),
    )
    const counts = Object.values(Object.groupBy(rows, ([row]) => row!.pid)).map((some) => some!.length)
    expect(counts).toEqual([2, 2, 2, 2])
  })

  test('are not held up by slow ones', async () => {
    const query = createPipeline(pool, { ...shared, maxConnections: 3 })
    const other = new pg.Client(url)
    await other.connect()
    await other.query('select pg_advisory_lock(7)')
    const slow = [1, 2].map((n) => query({ text: 'select $1::int, pg_advisory_lock_shared(7)', values: [n] }))
    const begun = performance.now()
    const waiting = async () => {
      const { rows } = await other.query(`select 1 from pg_locks
        join pg_database on pg_database.oid = database and datname = current_database()
        where locktype = 'advisory' and objid = 7 and not granted`)
      return rows.length
    }
    try {
      // Both wait for the lock, and have done so for a while.
      while ((await waiting()) < slow.length || performance.now() - begun < 50);
      const numbers = Array.from({ length: 200 }, (_, n) => n)
      const rows = await Promise.all(
        numbers.map((n) => query<{ n: number }>({ text: 'select $1::int as n', values: [n] })),
      )
      expect(rows.map(([row]) => row!.n)).toEqual(numbers)
      expect(await waiting()).toBe(slow.length)
    } finally {
      // Ends the lock, too.
      await other.end()
      await Promise.all(slow)
    }
  })

  test('fail alone', async () => {
    const query = createPipeline(pool, { ...shared, maxConnections: 1 })
    const asked = Array.from({ length: 100 }, (_, n) =>
      query<{ one: number }>({ text: 'select 1 / $1::int as one', values: [n % 2] }),
    )
    const answers = await Promise.allSettled(asked)
    answers.forEach((answer, n) => {
      if (n % 2) expect(answer).toMatchObject({ status: 'fulfilled', value: [{ one: 1 }] })
      else expect(answer).toMatchObject({ status: 'rejected', reason: { code: '22012' } })
    })
  })

  test('all get the error of a connection that breaks, and the next go by another', async () => {
    const query = createPipeline(pool, { ...shared, maxConnections: 1 })
    const [first] = await query<{ pid: number }>({
      text: 'select pg_backend_pid() as pid where $1::bool',
      values: [true],
    })
    const asked = [query({ text: 'select pg_sleep($1)', values: [30] }), query({ text: 'select $1::int', values: [1] })]
    const broken = Promise.allSettled(asked)
    const other = new pg.Client(url)
    await other.connect()
    await other.query('select pg_terminate_backend($1)', [first!.pid])
    await other.end()
    for (const answer of await broken) expect(answer.status).toBe('rejected')
    const [next] = await query<{ pid: number }>({
      text: 'select pg_backend_pid() as pid where $1::bool',
      values: [true],
    })
    expect(next!.pid).not.toBe(first!.pid)
  })
})
