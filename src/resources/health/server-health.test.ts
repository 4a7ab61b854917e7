import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Client, useTestServer } from '../../../test/server.ts'
import { type Server, serve } from '../../../test/stand-ins/wire.ts'

const server = useTestServer({ defaultModel: 'cairn/scripted' })
let receiver: Server
let isUp = false
beforeAll(async () => {
  receiver = await serve(() => ({ status: isUp ? 200 : 503, body: {} }))
})
afterAll(() => receiver.close())

/** A run whose callback has failed at every try. */
async function failedCallback(client: Client) {
  isUp = false
  const { id: agent } = (await client.post('/v1/agents/', {})).body
  // Another run keeps the agent busy.
  await sql`update threads set run_id = 'run-busy' where id = ${agent}`.execute(server.database.kysely)
  const body = { input: 'Hello', callback_url: `${receiver.url}/done` }
  const run = (await client.post(`/v1/agents/${agent}/messages/async`, body)).body
  await client.post(`/v1/agents/${agent}/messages/cancel`)
  await server.settle()
  return run.id as string
}

const failedJobs = async () => (await server.alice.get('/v1/admin/failed-jobs/')).body
const jobOf = async (run_id: string) =>
  (await failedJobs()).find((job: { data: { run_id?: string } }) => job.data.run_id === run_id)

describe('the state of the server', () => {
  test('shows its parts, and the failed requests with their ids', async () => {
    const { alice, database } = server
    await sql`alter table budgets rename to lost`.execute(database.kysely)
    const failed = await alice.get('/v1/budgets/')
    await sql`alter table lost rename to budgets`.execute(database.kysely)
    expect(failed.status).toBe(500)
    await alice.get('/v1/blocks/1')
    const { body } = await alice.get('/v1/admin/health')
    expect(body.database.engine).toBe(database.engine)
    expect(body.database.version).toMatch(/^\d+/)
    expect(body.jobs.map(({ queue }: { queue: string }) => queue)).toContain('run_callback')
    expect(body.disk.free_bytes).toBeLessThanOrEqual(body.disk.total_bytes)
    const { requests, refused, failed: count } = body.requests.last_minute
    expect([requests >= 2, refused >= 1, count >= 1]).toEqual([true, true, true])
    const minutes: { requests: number; failed: number }[] = body.requests.last_hour
    expect(minutes.length).toBe(60)
    expect(minutes.reduce((total, { requests }) => total + requests, 0)).toBeGreaterThanOrEqual(requests)
    expect(minutes.some(({ failed }) => failed > 0)).toBe(true)
    expect(body.requests.last_failures[0]).toMatchObject({
      request_id: failed.headers['x-request-id'],
      organization_id: server.organizations.alice,
      ...{ method: 'GET', route: '/v1/budgets', status: 500, error: expect.stringContaining('budgets') },
    })
  })

  test('is for admins of the organization that operates the server', async () => {
    const urls = ['/v1/admin/health', '/v1/admin/failed-jobs/']
    const statuses = async (client: Client) => Promise.all(urls.map(async (url) => (await client.get(url)).status))
    expect(await statuses(server.bob)).toEqual([403, 403])
    expect(await statuses(await server.withScopes('read', 'write'))).toEqual([403, 403])
    const job = await jobOf(await failedCallback(server.bob))
    expect((await server.bob.post(`/v1/admin/failed-jobs/${job.id}/retry`)).status).toBe(403)
  })
})

describe('a failed job', () => {
  test('is listed with its error, and done when it is tried once more', async () => {
    const run = await failedCallback(server.bob)
    const job = await jobOf(run)
    expect(job).toMatchObject({
      queue: 'run_callback',
      organization_id: server.organizations.bob,
      data: { run_id: run },
    })
    expect(job).toMatchObject({ error: expect.stringContaining('503'), retryable: true })
    expect(job.tries).toBeGreaterThan(1)
    isUp = true
    expect((await server.alice.post(`/v1/admin/failed-jobs/${job.id}/retry`)).status).toBe(204)
    expect(await jobOf(run)).toBeUndefined()
    await server.settle()
    expect((await server.bob.get(`/v1/runs/${run}`)).body.callback_status_code).toBe(200)
    // A request that is sent again changes nothing.
    expect((await server.alice.post(`/v1/admin/failed-jobs/${job.id}/retry`)).status).toBe(204)
  })

  test('is not tried where another job does the same work', async () => {
    const { kysely } = server.database
    const job = await jobOf(await failedCallback(server.alice))
    const copy = sql`insert into jobs.job (name, data, state, singleton_key, policy)
      select name, data, 'retry', singleton_key, policy from jobs.job where id = ${job.id}::uuid returning id`
    await copy.execute(kysely)
    const { status, body } = await server.alice.post(`/v1/admin/failed-jobs/${job.id}/retry`)
    expect([status, body.detail]).toEqual([409, 'Another job that will be retried does the same work.'])
    const unknown = '/v1/admin/failed-jobs/00000000-0000-4000-8000-000000000000/retry'
    expect((await server.alice.post(unknown)).status).toBe(404)
  })

  test('is listed page by page, and by queue', async () => {
    for (let n = 0; n < 2; n++) await failedCallback(server.alice)
    const all = await failedJobs()
    const [first] = (await server.alice.get('/v1/admin/failed-jobs/?limit=1')).body
    const rest = (await server.alice.get(`/v1/admin/failed-jobs/?after=${first.id}`)).body
    expect([first, ...rest]).toEqual(all)
    expect((await server.alice.get('/v1/admin/failed-jobs/?queue=process_file')).body).toEqual([])
    expect((await server.alice.get('/v1/admin/failed-jobs/?queue=run_callback')).body).toEqual(all)
  })
})
