import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { useTestServer } from '../../test/server.ts'
import { type Server, serve } from '../../test/stand-ins/wire.ts'

/** The machine may be busy. */
const PATIENT = { timeout: 30_000 }

const server = useTestServer({ defaultModel: 'cairn/scripted' })
let receiver: Server
/** The statuses of the receiver's responses, in order; then 200. */
const statuses: number[] = []
beforeAll(async () => {
  receiver = await serve(() => ({ status: statuses.shift() ?? 200, body: {} }))
})
afterAll(() => receiver.close())

const runOf = async (id: string) => (await server.alice.get(`/v1/runs/${id}`)).body

/** Sends a message with a callback, and awaits the end of the run and of its jobs. */
async function runWith(callback_url: string | null, input = 'Hello') {
  const { body: agent } = await server.alice.post('/v1/agents/', {})
  const reply = await server.alice.post(`/v1/agents/${agent.id}/messages/async`, { input, callback_url })
  expect(reply.status).toBe(200)
  await vi.waitUntil(async () => (await runOf(reply.body.id)).completed_at, PATIENT)
  await server.settle()
  return runOf(reply.body.id)
}

describe('the callback of a run', () => {
  test('is sent after the end of the run, and again while its receiver fails', async () => {
    statuses.push(503, 429)
    const before = receiver.asked.length
    const run = await runWith(`${receiver.url}/done`)
    const sent = receiver.asked.slice(before)
    expect(sent.map(({ method, path }) => `${method} ${path}`)).toEqual(Array(3).fill('POST /done'))
    const { status, completed_at, stop_reason, metadata } = run
    expect(sent.at(-1)!.body).toEqual({ run_id: run.id, status, completed_at, stop_reason, metadata })
    expect(run).toMatchObject({ status: 'completed', callback_status_code: 200, callback_sent_at: expect.any(String) })
    expect(run.callback_error).toBeUndefined()
  })

  test('that its receiver refuses is not sent again', async () => {
    statuses.push(410)
    const run = await runWith(`${receiver.url}/gone`)
    expect(run).toMatchObject({ callback_status_code: 410, callback_error: 'The receiver responded with 410.' })
    expect(receiver.asked.filter(({ path }) => path === '/gone')).toHaveLength(1)
  })

  test('to an address that users may not reach is an error of the run', async () => {
    const run = await runWith('http://10.0.0.1/internal')
    expect(run.callback_error).toMatch(/10\.0\.0\.1/)
    expect(run.callback_sent_at).toBeUndefined()
  })

  test('is sent for a run that was cancelled before it began', async () => {
    const { body: agent } = await server.alice.post('/v1/agents/', {})
    // Another run keeps the agent busy.
    await sql`update threads set run_id = 'run-busy' where id = ${agent.id}`.execute(server.database.kysely)
    const body = { input: 'Hello', callback_url: `${receiver.url}/cancelled` }
    const { body: run } = await server.alice.post(`/v1/agents/${agent.id}/messages/async`, body)
    await server.alice.post(`/v1/agents/${agent.id}/messages/cancel`)
    await server.settle()
    const sent = receiver.asked.filter(({ path }) => path === '/cancelled')
    expect(sent.map((request) => request.body)).toMatchObject([{ run_id: run.id, status: 'cancelled' }])
  })

  test('is none where its address is null', async () => {
    const { rows: before } = await sql`select 1 from jobs.job where name = 'run_callback'`.execute(
      server.database.kysely,
    )
    expect(await runWith(null)).toMatchObject({ status: 'completed' })
    const { rows } = await sql`select 1 from jobs.job where name = 'run_callback'`.execute(server.database.kysely)
    expect(rows).toHaveLength(before.length)
  })

  test('needs an http address', async () => {
    const { body: agent } = await server.alice.post('/v1/agents/', {})
    const body = { input: 'Hello', callback_url: 'file:///etc/passwd' }
    expect((await server.alice.post(`/v1/agents/${agent.id}/messages/async`, body)).status).toBe(422)
  })
})
