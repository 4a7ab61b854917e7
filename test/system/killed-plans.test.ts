import { sql } from 'kysely'
import { expect, inject, onTestFinished, test, vi } from 'vitest'
import { type Answer, caller, createMigratedStore } from '../process.ts'

/** The machine may be busy. */
const PATIENT = { timeout: 60_000 }
const KEY = 'key-of-the-killed-plans'
const AGENTS = 5
const REQUESTS = 40

test('servers killed amid a batch and due schedules: each request and each due time has one run', {
  timeout: 240_000,
}, async () => {
  const store = await createMigratedStore()
  onTestFinished(() => store.drop())
  const start = () =>
    store.serve({ CAIRN_API_KEY: KEY, LEASE_MS: '1000', LOG_LEVEL: 'warn' }, 'test/servers/counting.ts')
  const first = await start()
  // Servers of one PostgreSQL share the work.
  const beside = inject('template').server ? await start() : undefined
  const call = caller(first.url, KEY)
  const ok = ({ status, body }: Answer) => {
    expect(status).toBe(200)
    return body
  }
  const agents: string[] = []
  for (let n = 0; n < AGENTS; n++) agents.push(ok(await call('POST', '/v1/agents/', { include_base_tools: false })).id)
  const messages = [{ role: 'user', content: 'It is time.' }]
  const schedules: string[] = []
  for (const agent of agents) {
    const schedule = { type: 'one-time', scheduled_at: Date.now() + 1_500 }
    schedules.push(ok(await call('POST', `/v1/agents/${agent}/schedule`, { messages, schedule })).id)
  }
  const requests = Array.from({ length: REQUESTS }, (_, n) => ({
    agent_id: agents[n % AGENTS],
    input: `Request ${n}.`,
  }))
  const batch = ok(await call('POST', '/v1/messages/batches', { requests }))
  await vi.waitUntil(
    async () => ok(await call('GET', `/v1/messages/batches/${batch.id}`)).request_counts.completed > 3,
    PATIENT,
  )
  await Promise.all([first.kill('SIGKILL'), beside?.kill('SIGKILL')])

  const second = await start()
  const again = caller(second.url, KEY)
  const isOver = async () => {
    const { completed_at } = ok(await again('GET', `/v1/messages/batches/${batch.id}`))
    const active = ok(await again('GET', '/v1/runs/?active=true'))
    const due = await Promise.all(
      agents.map(async (agent, n) => ok(await again('GET', `/v1/agents/${agent}/schedule/${schedules[n]}`))),
    )
    return completed_at && active.length === 0 && due.every(({ next_scheduled_time: next }) => next === undefined)
  }
  await vi.waitUntil(isOver, PATIENT)
  const { request_counts } = ok(await again('GET', `/v1/messages/batches/${batch.id}`))
  expect(request_counts).toMatchObject({ total: REQUESTS, completed: REQUESTS, failed: 0 })
  await second.kill('SIGTERM')
  const { kysely, close } = await store.open()
  onTestFinished(close)
  const { rows } = await sql<{ plan: string; runs: number }>`
    select coalesce(schedule_id, metadata ->> 'batch_request') as plan, count(*)::int as runs from runs
    where schedule_id is not null or batch_id is not null group by 1`.execute(kysely)
  expect(rows.filter(({ runs }) => runs !== 1)).toEqual([])
  expect(rows).toHaveLength(REQUESTS + AGENTS)
  const { rows: said } = await sql<{ count: number }>`
    select count(*)::int as count from messages where role = 'user' and run_id is not null`.execute(kysely)
  expect(said).toEqual([{ count: REQUESTS + AGENTS }])
})
