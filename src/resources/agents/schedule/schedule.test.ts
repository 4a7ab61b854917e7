import { sql } from 'kysely'
import { describe, expect, test, vi } from 'vitest'
import { type Client, useTestServer } from '../../../../test/server.ts'

/** The machine may be busy. */
const PATIENT = { timeout: 30_000 }

const server = useTestServer({ defaultModel: 'cairn/scripted' })

const messages = [{ role: 'user', content: 'Good morning', otid: 'always-the-same' }]
const DAILY = { type: 'recurring', cron_expression: '0 9 * * *', timezone: 'Europe/Berlin' }
const DAY = 86_400_000

/** An agent with a schedule. */
async function makeSchedule(body: object = {}, client: Client = server.alice) {
  const agent = (await client.post('/v1/agents/', {})).body.id as string
  const made = await client.post(`/v1/agents/${agent}/schedule`, { messages, schedule: DAILY, ...body })
  expect(made.status).toBe(200)
  const url = `/v1/agents/${agent}/schedule/${made.body.id}`
  return { agent, url, due: new Date(made.body.next_scheduled_time), made: made.body }
}

const scheduleAt = async (url: string) => (await server.alice.get(url)).body
const begin = (now: Date) => server.app.plannedRuns.beginDue(now)
const after = (date: Date, ms: number) => new Date(date.getTime() + ms)

/** The runs of a schedule, once they are over. */
async function runsOf(url: string) {
  const list = async () => (await server.alice.get(`${url}/runs`)).body
  await vi.waitUntil(async () => (await list()).every((run: { completed_at?: string }) => run.completed_at), PATIENT)
  return list()
}

describe('a schedule', () => {
  test('begins one run at each due time, which is in its history', async () => {
    const { url, agent, due } = await makeSchedule()
    await begin(after(due, -1))
    expect(await runsOf(url)).toEqual([])
    await begin(due)
    await begin(due)
    const [run, ...others] = await runsOf(url)
    expect(others).toEqual([])
    expect(run).toMatchObject({ agent_id: agent, status: 'completed', background: true })
    expect(run.metadata).toMatchObject({ run_type: 'scheduled_message', scheduled_for: due.toISOString() })
    const next = new Date((await scheduleAt(url)).next_scheduled_time)
    expect(next.getTime() - due.getTime()).toBeLessThanOrEqual(DAY + 3_600_000)
    await begin(next)
    expect(await runsOf(url)).toHaveLength(2)
    const said = (await server.alice.get(`/v1/agents/${agent}/messages?order=asc`)).body
    expect(said.filter(({ content }: { content: string }) => content === 'Good morning')).toHaveLength(2)
  })

  test('begins one run however many servers look', async () => {
    const { url, due } = await makeSchedule()
    const others = await Promise.all([server.another(), server.another()])
    const all = [server, ...others].flatMap(({ app }) => [app.plannedRuns, app.plannedRuns])
    await Promise.all(all.map((planned) => planned.beginDue(due)))
    expect(await runsOf(url)).toHaveLength(1)
  })

  test('is over after its one time', async () => {
    const scheduled_at = Date.now() + 60_000
    const { url, made } = await makeSchedule({ schedule: { scheduled_at } })
    expect(made.next_scheduled_at).toBe(new Date(scheduled_at).toISOString())
    await begin(new Date(scheduled_at))
    await begin(new Date(scheduled_at + DAY))
    expect(await runsOf(url)).toHaveLength(1)
    expect((await scheduleAt(url)).next_scheduled_time).toBeUndefined()
  })

  test('begins nothing twice when the clock is put back', async () => {
    const { url, due } = await makeSchedule()
    await begin(after(due, 5 * DAY))
    await begin(after(due, DAY))
    expect(await runsOf(url)).toHaveLength(1)
    // A clock that was put back while somebody changed the schedule: the due time comes again, its run doesn't.
    await sql`update schedules set next_scheduled_time = ${due.toISOString()}::timestamptz
      where id = ${url.split('/').at(-1)}`.execute(server.database.kysely)
    await begin(due)
    expect(await runsOf(url)).toHaveLength(1)
    expect(new Date((await scheduleAt(url)).next_scheduled_time) > due).toBe(true)
  })

  test.each([
    ['run_once', 1],
    ['skip', 0],
  ])('whose times passed while no server was there begins, with missed %s, %i run', async (missed, count) => {
    const { url, due } = await makeSchedule({ missed })
    const now = after(due, 3 * DAY)
    await begin(now)
    expect(await runsOf(url)).toHaveLength(count)
    const { next_scheduled_time, last_error } = await scheduleAt(url)
    expect(new Date(next_scheduled_time) > now).toBe(true)
    expect(last_error).toBe(count === 0 ? 'No server was there at this time.' : undefined)
  })

  test('begins nothing while it is paused, and goes on with the next time', async () => {
    const { url, due } = await makeSchedule()
    expect((await server.alice.patch(url, { paused: true })).body.next_scheduled_time).toBeUndefined()
    await begin(after(due, 2 * DAY))
    expect(await runsOf(url)).toEqual([])
    const { body } = await server.alice.patch(url, { paused: false })
    expect(body.next_scheduled_time).toBe(due.toISOString())
    await begin(due)
    expect(await runsOf(url)).toHaveLength(1)
  })

  test('stops with the key that made it, until another key changes it', async () => {
    const writer = await server.withScopes('read', 'write')
    const { url, due } = await makeSchedule({}, writer)
    const [key] = (await server.alice.get('/v1/api-keys/?limit=1')).body
    await server.alice.delete(`/v1/api-keys/${key.id}`)
    await begin(due)
    expect(await runsOf(url)).toEqual([])
    expect(await scheduleAt(url)).toMatchObject({
      paused: true,
      last_error: expect.stringContaining('no longer valid'),
    })
    const { body } = await server.alice.patch(url, { paused: false })
    expect(body.last_error).toBeUndefined()
    await begin(due)
    expect(await runsOf(url)).toHaveLength(1)
  })

  test('says why a due time began no run, and goes on', async () => {
    const { url, agent, due } = await makeSchedule()
    await sql`update threads set pending_approval = '{"id": "message-x"}' where id = ${agent}`.execute(
      server.database.kysely,
    )
    await begin(due)
    const { last_error, next_scheduled_time } = await scheduleAt(url)
    expect(last_error).toContain('waits for the approval')
    await sql`update threads set pending_approval = null where id = ${agent}`.execute(server.database.kysely)
    await begin(new Date(next_scheduled_time))
    expect(await runsOf(url)).toHaveLength(1)
    expect((await scheduleAt(url)).last_error).toBeUndefined()
  })

  test('changes by fields, under its ETag', async () => {
    const { url } = await makeSchedule({ max_steps: 5 })
    const { headers } = await server.alice.get(url)
    const changed = await server.alice.patch(url, { callback_url: 'https://example.com/done', max_steps: null })
    expect(changed.body.message).toEqual({ messages, callback_url: 'https://example.com/done' })
    expect((await server.alice.patch(url, { paused: true }, { 'if-match': headers.etag! })).status).toBe(412)
  })

  test.each([
    [{ schedule: { type: 'recurring', cron_expression: '* * * * * *' } }, 'schedule.cron_expression'],
    [{ schedule: { ...DAILY, timezone: 'Berlin' } }, 'timezone'],
    [{ schedule: { scheduled_at: 1 } }, 'schedule.scheduled_at'],
    [{ schedule: DAILY, callback_url: 'file:///etc/passwd' }, 'callback_url'],
    [{ schedule: DAILY, messages: [] }, 'messages'],
  ])('%o is refused', async (body, field) => {
    const agent = (await server.alice.post('/v1/agents/', {})).body.id
    const reply = await server.alice.post(`/v1/agents/${agent}/schedule`, { messages, ...body })
    expect([reply.status, reply.body.errors?.[0].field]).toEqual([422, field])
  })

  test('is nothing to another organization or another agent, and goes with its agent', async () => {
    const { url, agent, due } = await makeSchedule()
    const other = (await server.alice.post('/v1/agents/', {})).body.id
    for (const method of ['GET', 'PATCH', 'DELETE']) {
      expect((await server.bob.call(method, url, method === 'PATCH' ? { paused: true } : undefined)).status).toBe(404)
      const elsewhere = url.replace(agent, other)
      const body = method === 'PATCH' ? { paused: true } : undefined
      expect((await server.alice.call(method, elsewhere, body)).status).toBe(404)
    }
    expect((await server.alice.get(`/v1/agents/${other}/schedule`)).body.scheduled_messages).toEqual([])
    await server.alice.delete(`/v1/agents/${agent}`)
    await begin(due)
    const { rows } = await sql`select from schedules where agent_id = ${agent}`.execute(server.database.kysely)
    expect(rows).toEqual([])
  })

  test('can be deleted, and its runs stay', async () => {
    const { url, agent, due } = await makeSchedule()
    await begin(due)
    await runsOf(url)
    expect((await server.alice.delete(url)).body).toEqual({ success: true })
    expect((await server.alice.get(url)).status).toBe(404)
    expect((await server.alice.get(`/v1/runs/?agent_id=${agent}`)).body).toHaveLength(1)
  })
})
