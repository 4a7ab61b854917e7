import { sql } from 'kysely'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { type Client, useTestServer } from '../../../test/server.ts'

const server = useTestServer({ defaultModel: 'cairn/scripted' })

const makeAgent = async () => (await server.alice.post('/v1/agents/', {})).body.id as string

const makeGroup = async (agent_ids: string[]) =>
  (await server.alice.post('/v1/groups/', { agent_ids, description: 'A group' })).body.id as string

/** A client with a key of its own, and the id of the key. */
async function makeKey() {
  const { body } = await server.alice.post('/v1/api-keys/', { name: 'Key', scopes: ['read', 'write'] })
  return { client: server.client(body.key), id: body.id as string }
}

async function makeBudget(body: object) {
  const reply = await server.alice.post('/v1/budgets/', body)
  expect(reply.status).toBe(200)
  return reply.body.id as string
}

const budgetOf = async (id: string) => (await server.alice.get(`/v1/budgets/${id}`)).body
const send = (agent: string, input = 'Hello', client = server.alice) =>
  client.post(`/v1/agents/${agent}/messages`, { input })

afterEach(() => vi.useRealTimers())

describe('a budget', () => {
  test('of an agent refuses its runs once it is used up, until the end of the day in UTC', async () => {
    const [agent, other] = [await makeAgent(), await makeAgent()]
    const id = await makeBudget({ agent_id: agent, runs: 2 })
    for (let n = 0; n < 2; n++) expect((await send(agent)).status).toBe(200)
    const { used } = await budgetOf(id)
    expect(used).toMatchObject({ runs: 2, cost: 0 })
    expect(used.tokens).toBeGreaterThan(0)

    const refused = await send(agent)
    const { resets_at } = await budgetOf(id)
    expect([refused.status, refused.body]).toMatchObject([429, { budget_id: id, resets_at }])
    expect(resets_at).toMatch(/T00:00:00\.000Z$/)
    const seconds = (Date.parse(resets_at) - Date.now()) / 1000
    expect(Math.abs(Number(refused.headers['retry-after']) - seconds)).toBeLessThan(60)
    expect(refused.headers['x-should-retry']).toBe('false')
    expect((await send(other)).status).toBe(200)

    vi.useFakeTimers({ toFake: ['Date'], now: Date.parse(resets_at) })
    expect((await send(agent)).status).toBe(200)
  })

  test('of a key counts the runs of this key alone, with any agent', async () => {
    const [one, two] = [await makeAgent(), await makeAgent()]
    const { client, id: api_key_id } = await makeKey()
    const id = await makeBudget({ api_key_id, runs: 2 })
    await send(one)
    expect([(await send(one, 'Hi', client)).status, (await send(two, 'Hi', client)).status]).toEqual([200, 200])
    // Used is used, also by an agent that is gone.
    await server.alice.delete(`/v1/agents/${two}`)
    expect((await send(one, 'Hi', client)).status).toBe(429)
    expect((await send(one)).status).toBe(200)
    expect((await budgetOf(id)).used.runs).toBe(2)
  })

  test('holds at several servers: what one has counted, the other compares', async () => {
    const second = await server.another()
    const agents = [await makeAgent(), await makeAgent()]
    const { client, id: api_key_id } = await makeKey()
    await makeBudget({ api_key_id, runs: 4 })
    const there = {
      ...client,
      post: (url: string, body: unknown) => second.alice.post(url, body, { authorization: `Bearer ${client.key}` }),
    }
    const statuses: number[] = []
    for (let n = 0; n < 6; n++)
      statuses.push((await send(agents[n % 2]!, 'Hi', n % 2 ? client : (there as Client))).status)
    expect(statuses).toEqual([200, 200, 200, 200, 429, 429])
  })

  const ROUTES = [
    ['agents', 1],
    // The group's run, and the turn of its member.
    ['groups', 3],
  ] as const
  test.skipIf(!process.env.TEST_DATABASE_URL).for(ROUTES)(
    'of runs is never exceeded: %s at once',
    async ([route, runs]) => {
      const second = await server.another()
      const agents = [await makeAgent(), await makeAgent()]
      const groups = [await makeGroup([agents[0]!]), await makeGroup([agents[1]!])]
      const { client, id: api_key_id } = await makeKey()
      const id = await makeBudget({ api_key_id, runs })
      const headers = { authorization: `Bearer ${client.key}` }
      const waiting = sql<{ n: number }>`select count(*)::int as n from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`
      // Both have read what was used before either counts its run.
      const [held, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      const holding = server.database.transaction(async (trx) => {
        await sql`select from threads where id = any(${agents}) for update`.execute(trx)
        held.resolve()
        await gate.promise
      })
      await held.promise
      const sent = [server, second].map(({ alice }, n) =>
        alice.post(`/v1/${route}/${(route === 'agents' ? agents : groups)[n]}/messages`, { input: 'Hi' }, headers),
      )
      const { kysely } = server.database
      await expect.poll(async () => (await waiting.execute(kysely)).rows[0]!.n, { timeout: 30_000 }).toBe(2)
      gate.resolve()
      await holding
      expect((await Promise.all(sent)).map(({ status }) => status).toSorted()).toEqual([200, 429])
      expect((await budgetOf(id)).used.runs).toBe(runs)
    },
  )

  test('that a member of a group has used up ends the group’s run, and keeps what was said', async () => {
    const agents = [await makeAgent(), await makeAgent()]
    const group = await makeGroup(agents)
    const say = () => server.alice.post(`/v1/groups/${group}/messages`, { input: 'Hello' })
    await makeBudget({ agent_id: agents[1]!, runs: 1 })
    expect((await say()).body.stop_reason.stop_reason).toBe('end_turn')
    const { status, body } = await say()
    expect([status, body.stop_reason.stop_reason]).toEqual([200, 'insufficient_credits'])
    expect(body.messages).toMatchObject([{ sender_id: agents[0] }])
    await makeBudget({ agent_id: agents[0]!, runs: 0 })
    expect((await say()).status).toBe(429)
  })

  test('of tokens ends a run that goes on beyond it', async () => {
    const agent = (
      await server.alice.post('/v1/agents/', {
        parallel_tool_calls: false,
        memory_blocks: [{ label: 'human', value: 'Ada.' }],
      })
    ).body.id
    await makeBudget({ agent_id: agent, tokens: 1 })
    const call = `!call memory_insert ${JSON.stringify({ label: 'human', new_string: 'Tea.' })}`
    const { body } = await send(agent, `${call}\n${call}\n${call}`)
    expect(body.stop_reason.stop_reason).toBe('insufficient_credits')
    expect(body.usage.step_count).toBe(2)
    expect((await send(agent)).status).toBe(429)
  })

  test('can be changed and deleted, by admins alone; there is one for each key and agent', async () => {
    const agent = await makeAgent()
    const id = await makeBudget({ agent_id: agent, runs: 0 })
    expect((await send(agent)).status).toBe(429)
    const { client } = await makeKey()
    expect((await client.get(`/v1/budgets/?agent_id=${agent}`)).body[0].id).toBe(id)
    expect((await client.patch(`/v1/budgets/${id}`, { runs: 5 })).status).toBe(403)
    expect((await server.bob.patch(`/v1/budgets/${id}`, { runs: 5 })).status).toBe(404)
    expect((await server.bob.post('/v1/budgets/', { agent_id: agent, runs: 1 })).status).toBe(404)
    expect((await server.alice.post('/v1/budgets/', { agent_id: agent, runs: 1 })).status).toBe(409)
    expect((await server.alice.post('/v1/budgets/', { runs: 1 })).status).toBe(422)
    expect((await server.alice.patch(`/v1/budgets/${id}`, { runs: null })).body.runs).toBeUndefined()
    expect((await send(agent)).status).toBe(200)
    expect((await server.alice.delete(`/v1/budgets/${id}`)).status).toBe(204)
  })

  test('of nobody costs no row', async () => {
    const agent = await makeAgent()
    await send(agent)
    const { rows } = await sql`select from usage_days where agent_id = ${agent}`.execute(server.database.kysely)
    expect(rows).toEqual([])
  })
})
