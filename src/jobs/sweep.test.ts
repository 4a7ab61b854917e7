import { sql } from 'kysely'
import { pino } from 'pino'
import { expect, test, vi } from 'vitest'
import { useTestServer } from '../../test/server.ts'
import { openJobs } from '../db/jobs.ts'
import { startSweeping } from './sweep.ts'

const server = useTestServer()

/** One sweep, a minute after the start of a server. */
async function sweep() {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  try {
    const stop = startSweeping(server.database, pino({ level: 'silent' }), 30)
    vi.advanceTimersByTime(60_000)
    await stop()
  } finally {
    vi.useRealTimers()
  }
}

test('jobs made, begun or retried while the clock ran ahead run within a minute after it is put right', async () => {
  const { database, organizations } = server
  const scope = server.scopeOf(organizations.alice)
  for (const key of ['made', 'begun', 'waits']) await scope.enqueue('sync_provider', { provider_id: key }, key)
  const run = (statement: ReturnType<typeof sql>) => statement.execute(database.kysely)
  const ahead = sql`now() + interval '1 day'`
  await run(sql`update jobs.job set start_after = ${ahead} where singleton_key = 'made'`)
  await run(
    sql`update jobs.job set state = 'active', started_on = ${ahead}, heartbeat_on = ${ahead} where singleton_key = 'begun'`,
  )
  await run(sql`update jobs.job set start_after = now() + interval '4 minutes' where singleton_key = 'waits'`)
  await run(sql`update jobs.queue set monitor_on = ${ahead}, maintain_on = ${ahead} where name = 'sync_provider'`)

  const { boss } = await openJobs(database, { supervise: false })
  const due = async () =>
    (await boss.fetch('sync_provider', { batchSize: 10 })).map(
      ({ data }) => (data as { provider_id: string }).provider_id,
    )
  expect(await due()).toEqual([])
  await sweep()
  expect(await due()).toEqual(['made'])
  // A server that has died sends no further heartbeat.
  await run(sql`update jobs.job set heartbeat_on = heartbeat_on - interval '1 minute' where singleton_key = 'begun'`)
  await boss.supervise('sync_provider')
  const { rows } = await run(
    sql`select singleton_key, state, retry_count from jobs.job
      where name = 'sync_provider' and singleton_key <> 'made' order by 1`,
  )
  expect(rows).toEqual([
    { singleton_key: 'begun', state: 'retry', retry_count: 0 },
    { singleton_key: 'waits', state: 'created', retry_count: 0 },
  ])
  await boss.stop({ graceful: false, close: false })
})

test.skipIf(process.env.TEST_DATABASE_URL)('the write-ahead log of an embedded database stays bounded', async () => {
  const { kysely } = server.database
  const logSize = async () => {
    const { rows } = await sql<{ bytes: number }>`select sum(size)::int as bytes from pg_ls_waldir()`.execute(kysely)
    return rows[0]!.bytes
  }
  for (let round = 0; round < 3; round++) {
    // Each of these fills a segment of the log, of 16 MB.
    for (let segment = 0; segment < 12; segment++) {
      await sql`select pg_logical_emit_message(false, 'test', 'a record')`.execute(kysely)
      await sql`select pg_switch_wal()`.execute(kysely)
    }
    await sweep()
  }
  expect(await logSize()).toBeLessThan(320_000_000)
})

test('what runs leave for readers and repeated requests is deleted some time after their end', async () => {
  const { alice, database } = server
  const { body: agent } = await alice.post('/v1/agents/', { model: 'cairn/scripted' })
  const message = (otid: string) => ({
    messages: [{ role: 'user', content: 'Hello', otid }],
    streaming: true,
    background: true,
  })
  for (const otid of ['old', 'new']) await alice.post(`/v1/agents/${agent.id}/messages`, message(otid))
  const [recent, old] = (await alice.get(`/v1/runs/?agent_id=${agent.id}`)).body
  const kept = async () => {
    const { rows } = await sql<{ run_id: string; name: string }>`
      select distinct run_id, 'events' as name from run_chunks union select run_id, 'otids' from run_otids
      union select run_id, 'trace' from provider_traces order by 1, 2`.execute(database.kysely)
    return rows.map(({ run_id, name }) => `${run_id} ${name}`)
  }
  const all = (id: string) => ['events', 'otids', 'trace'].map((name) => `${id} ${name}`)
  const age = async (hours: number) => {
    for (const table of ['run_chunks', 'run_otids', 'provider_traces']) {
      await sql`update ${sql.table(table)} set created_at = now() - ${hours} * interval '1 hour' where run_id = ${old.id}`.execute(
        database.kysely,
      )
    }
    await sweep()
  }
  await age(2)
  expect(await kept()).toEqual([...all(old.id), ...all(recent.id)])
  await age(4)
  expect(await kept()).toEqual([`${old.id} trace`, ...all(recent.id)])
  await age(24 * 31)
  expect(await kept()).toEqual(all(recent.id))
})

test('the usage of a day is there two days later, and then no more', async () => {
  const { database, organizations } = server
  for (const [organization, days] of [
    [organizations.alice, 0],
    [organizations.alice, 1],
    [organizations.alice, 4],
    [organizations.bob, 5],
  ] as const) {
    await sql`insert into usage_days (organization_id, agent_id, api_key_id, day, tokens)
      values (${organization}, 'agent-1', '', (statement_timestamp() - ${days} * interval '1 day')::date, ${days})`.execute(
      database.kysely,
    )
  }
  await sweep()
  const { rows } = await sql<{ tokens: number }>`select tokens from usage_days order by 1`.execute(database.kysely)
  expect(rows).toEqual([{ tokens: 0 }, { tokens: 1 }])
})
