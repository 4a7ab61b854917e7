import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { useTestServer } from '../../../test/server.ts'
import { type Server, serve } from '../../../test/stand-ins/wire.ts'

/** The machine may be busy. */
const PATIENT = { timeout: 60_000 }

const server = useTestServer({ defaultModel: 'cairn/scripted', bodyLimit: 4 * 1024 * 1024 })
let receiver: Server
beforeAll(async () => {
  receiver = await serve(() => ({ status: 200, body: {} }))
})
afterAll(() => receiver.close())

const makeAgent = async (client = server.alice) => (await client.post('/v1/agents/', {})).body.id as string
const makeAgents = (count: number) => Promise.all(Array.from({ length: count }, () => makeAgent()))
const URL = '/v1/messages/batches'

async function makeBatch(requests: object[], body: object = {}) {
  const reply = await server.alice.post(URL, { requests, ...body })
  expect(reply.status).toBe(200)
  return reply.body.id as string
}

const batchOf = async (id: string) => (await server.alice.get(`${URL}/${id}`)).body

/** Has these servers begin the runs of a batch until it is over. */
async function finish(id: string, apps = [server.app]) {
  await vi.waitUntil(async () => {
    await Promise.all(apps.map((app) => app.plannedRuns.beginDue()))
    return (await batchOf(id)).completed_at
  }, PATIENT)
  return batchOf(id)
}

const runsOf = async (id: string) => {
  const { rows } = await sql<{ agent_id: string; status: string; request: number }>`
    select agent_id, status, (metadata ->> 'batch_request')::int as request from runs where batch_id = ${id}
    order by 3`.execute(server.database.kysely)
  return rows
}

describe('a batch', () => {
  test('begins one run for each request, whose messages are listed', async () => {
    const [one, two] = await makeAgents(2)
    const requests = [
      { agent_id: one, input: 'First' },
      { agent_id: two, messages: [{ role: 'user', content: 'Second' }], max_steps: 2 },
      { agent_id: one, input: 'Third' },
    ]
    const id = await makeBatch(requests)
    expect(await batchOf(id)).toMatchObject({ status: 'created', job_type: 'batch', request_counts: { waiting: 3 } })
    const { status, request_counts } = await finish(id)
    expect([status, request_counts]).toEqual([
      'completed',
      { total: 3, waiting: 0, running: 0, completed: 3, failed: 0, cancelled: 0 },
    ])
    expect((await runsOf(id)).map(({ agent_id, request }) => [agent_id, request])).toEqual([
      [one, 0],
      [two, 1],
      [one, 2],
    ])
    const url = `${URL}/${id}/messages`
    const { messages } = (await server.alice.get(`${url}?order=asc&agent_id=${one}`)).body
    expect(messages.map(({ role, agent_id }: Record<string, string>) => [role, agent_id])).toEqual([
      ['user', one],
      ['assistant', one],
      ['user', one],
      ['assistant', one],
    ])
    const first = await server.alice.get(`${url}?limit=4`)
    const rest = await server.alice.get(/<(.*)>; rel="next"/.exec(first.headers.link!)![1]!)
    expect(first.body.messages).toHaveLength(4)
    expect(rest.body.messages).toHaveLength(2)
    expect((await server.alice.get(`${URL}/`)).body[0].id).toBe(id)
  })

  test('begins one run for each request however many servers there are, sixteen at once', async () => {
    const agents = await makeAgents(20)
    const id = await makeBatch(agents.flatMap((agent_id) => [0, 1].map((n) => ({ agent_id, input: `${n}` }))))
    const others = await Promise.all([server.another(), server.another()])
    await finish(
      id,
      [server, ...others].map(({ app }) => app),
    )
    expect((await runsOf(id)).map(({ request }) => request)).toEqual(Array.from({ length: 40 }, (_, n) => n))
  })

  test('goes on at another server when its server is gone', async () => {
    const agents = await makeAgents(3)
    const id = await makeBatch(agents.map((agent_id) => ({ agent_id, input: 'Hello' })))
    await sql`update batches set owner = 'a-server-that-is-gone', status = 'running' where id = ${id}`.execute(
      server.database.kysely,
    )
    await finish(id)
    expect(await runsOf(id)).toHaveLength(3)
  })

  test('says which requests could begin no run, and why', async () => {
    const [waits, busy, gone] = await makeAgents(3)
    const requests = [waits, busy, gone].map((agent_id) => ({ agent_id, input: 'Hello' }))
    const id = await makeBatch(requests)
    const { kysely } = server.database
    await sql`update threads set pending_approval = '{"id": "message-x"}' where id = ${waits}`.execute(kysely)
    await server.alice.delete(`/v1/agents/${gone}`)
    const { errors, request_counts } = await finish(id)
    expect(errors).toEqual([
      { request: 0, agent_id: waits, message: expect.stringContaining('waits for the approval') },
    ])
    expect(request_counts).toMatchObject({ total: 3, completed: 1, failed: 1, cancelled: 1 })
  })

  test('is cancelled with the requests that wait and the runs that go on', async () => {
    const agents = await makeAgents(18)
    // Another run keeps each agent busy.
    await sql`update threads set run_id = 'run-busy' where id = any(${agents})`.execute(server.database.kysely)
    const id = await makeBatch(agents.map((agent_id) => ({ agent_id, input: 'Hello' })))
    await server.app.plannedRuns.beginDue()
    expect((await batchOf(id)).request_counts).toMatchObject({ running: 16, waiting: 2 })
    const { body } = await server.alice.call('PATCH', `${URL}/${id}/cancel`)
    expect(body).toMatchObject({ status: 'cancelled', request_counts: { cancelled: 18, running: 0, waiting: 0 } })
    await server.app.plannedRuns.beginDue()
    expect(await runsOf(id)).toHaveLength(16)
  })

  test('stops when its key is revoked', async () => {
    const writer = await server.withScopes('read', 'write')
    const [key] = (await server.alice.get('/v1/api-keys/?limit=1')).body
    const agent_id = await makeAgent()
    const { body } = await writer.post(URL, { requests: [{ agent_id, input: 'Hello' }] })
    await server.alice.delete(`/v1/api-keys/${key.id}`)
    expect(await finish(body.id)).toMatchObject({ status: 'cancelled', metadata: { error: expect.any(String) } })
    expect(await runsOf(body.id)).toEqual([])
  })

  test('calls back at its end', async () => {
    const agent_id = await makeAgent()
    const id = await makeBatch([{ agent_id, input: 'Hello' }], { callback_url: `${receiver.url}/batch` })
    const { status, completed_at } = await finish(id)
    await server.settle()
    const [sent] = receiver.asked.filter(({ path }) => path === '/batch')
    expect(sent!.body).toEqual({ job_id: id, status, completed_at })
    expect((await batchOf(id)).callback_status_code).toBe(200)
  })

  test('takes 10,000 requests', async () => {
    const agent_id = await makeAgent()
    const requests = Array.from({ length: 10_000 }, (_, n) => ({ agent_id, input: `${n}` }))
    const id = await makeBatch(requests)
    expect((await batchOf(id)).request_counts).toMatchObject({ total: 10_000, waiting: 10_000 })
    await server.alice.call('PATCH', `${URL}/${id}/cancel`)
    const { status } = await server.alice.post(URL, { requests: [...requests, requests[0]] })
    expect(status).toBe(422)
  })

  test('is nothing to another organization, and names no agent of another one', async () => {
    const agent_id = await makeAgent()
    const id = await makeBatch([{ agent_id, input: 'Hello' }])
    for (const [method, path] of [
      ['GET', ''],
      ['GET', '/messages'],
      ['PATCH', '/cancel'],
    ] as const) {
      expect((await server.bob.call(method, `${URL}/${id}${path}`)).status).toBe(404)
    }
    expect((await server.bob.post(URL, { requests: [{ agent_id, input: 'Hello' }] })).status).toBe(404)
    expect((await server.bob.get(`${URL}/`)).body).toEqual([])
    await finish(id)
  })

  test('names the request that is not valid', async () => {
    const agent_id = await makeAgent()
    const reply = await server.alice.post(URL, { requests: [{ agent_id, input: 'Hello' }, { agent_id }] })
    expect([reply.status, reply.body.errors[0].field]).toEqual([422, 'requests[1].messages'])
  })
})
