import { sql } from 'kysely'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { type Client, useTestServer } from '../../../test/server.ts'
import { callOf } from '../../../test/tool-calls.ts'

const server = useTestServer({ defaultModel: 'cairn/scripted' })
let alice: Client
let bob: Client
beforeAll(() => {
  alice = server.alice
  bob = server.bob
})

async function makeAgent(client: Client = alice, body: object = {}): Promise<string> {
  const reply = await client.post('/v1/agents/', { name: 'Ada', include_base_tools: false, ...body })
  expect(reply.status).toBe(200)
  return reply.body.id
}

const say = async (id: string, input: string, client: Client = alice) => {
  const { status, body } = await client.post(`/v1/agents/${id}/messages`, { input })
  expect(status).toBe(200)
  return body
}

const search = (body: object, client: Client = alice) => client.post('/v1/agents/messages/search', body)

const textsOf = ({ body }: { body: { embedded_text: string }[] }) => body.map(({ embedded_text }) => embedded_text)

describe('a search of messages by words', () => {
  test('finds what was said, by which agent and how well it fits', async () => {
    const id = await makeAgent()
    await say(id, 'Quinces are yellow.')
    await say(await makeAgent(), 'Quinces are sour.')
    const { status, body } = await search({ query: 'quince', search_mode: 'fts', agent_id: id, roles: ['user'] })
    expect(status).toBe(200)
    expect(body).toMatchObject([
      {
        embedded_text: 'Quinces are yellow.',
        message: { agent_id: id, role: 'user', content: [{ type: 'text', text: 'Quinces are yellow.' }] },
        fts_rank: 1,
        rrf_score: 1 / 61,
      },
    ])
    const { body: said } = await alice.post('/v1/messages/search', {
      query: 'quince',
      search_mode: 'fts',
      agent_id: id,
    })
    expect(said.map((found: { message_type: string }) => found.message_type).sort()).toEqual([
      'assistant_message',
      'user_message',
    ])
    expect(said.at(-1)).toMatchObject({ agent_id: id, content: expect.stringContaining('Quinces are yellow.') })
  })

  test('finds nothing of another organization, whose agent is unknown', async () => {
    const id = await makeAgent()
    await say(id, 'A secret about walruses.')
    const other = await makeAgent(bob)
    await say(other, 'Nothing to see.', bob)
    const body = { query: 'walruses', search_mode: 'fts' }
    expect((await search(body, bob)).body).toEqual([])
    expect((await bob.post('/v1/messages/search', body)).body).toEqual([])
    expect((await search({ ...body, agent_id: id }, bob)).status).toBe(404)
    const { id: found } = (await alice.get(`/v1/agents/${id}/messages?limit=1`)).body[0]
    expect((await bob.get(`/v1/messages/${found}`)).status).toBe(404)
    const hers = new Set((await alice.get('/v1/messages/?limit=200')).body.map((message: { id: string }) => message.id))
    const his = (await bob.get('/v1/messages/?limit=200')).body.map((message: { id: string }) => message.id)
    expect(his.filter((one: string) => hers.has(one))).toEqual([])
  })

  test('finds neither prompts nor what a search has shown, and a deleted message no more', async () => {
    const id = await makeAgent(alice, { system: 'You like pomegranates.', tools: ['conversation_search'] })
    await say(id, 'Pomegranates are red.')
    await say(id, callOf('conversation_search', { query: 'pomegranates' }))
    const found = await search({ query: 'pomegranates', search_mode: 'fts', agent_id: id })
    expect(new Set(found.body.map(({ message }: { message: { role: string } }) => message.role))).toEqual(
      new Set(['user', 'assistant']),
    )
    expect((await search({ query: 'pomegranates', search_mode: 'fts', agent_id: id, roles: ['tool'] })).body).toEqual(
      [],
    )
    await alice.delete(`/v1/agents/${id}`)
    expect(textsOf(await search({ query: 'pomegranates', search_mode: 'fts' }))).toEqual([])
  })

  test('keeps to its dates, whose last day counts, and to its limit; without a query the newest come', async () => {
    const id = await makeAgent()
    for (const day of ['one', 'two', 'three']) await say(id, `Day ${day}`)
    await sql`update message_texts set created_at = '2020-05-05T23:59:00Z'
      where organization_id = ${server.organizations.alice} and agent_id = ${id}
        and id = (select min(id) from message_texts where agent_id = ${id})`.execute(server.database.kysely)
    const of = { agent_id: id, roles: ['user'], search_mode: 'fts' }
    expect(textsOf(await search({ ...of, query: 'day', end_date: '2020-05-05' }))).toEqual(['Day one'])
    expect(textsOf(await search({ ...of, query: 'day', end_date: '2020-05-04' }))).toEqual([])
    expect(textsOf(await search({ ...of, limit: 1 }))).toEqual(['Day three'])
    expect(await search({ ...of, query: 'day', end_date: 'soon' })).toMatchObject({ status: 422 })
  })
})

describe('a search of messages by vectors', () => {
  /** All messages of the agent have vectors of its model. A run adds the job that embeds them after its last response. */
  const embedded = (agentId: string) =>
    vi.waitFor(
      async () => {
        await server.settle()
        const { rows } = await sql<{ model: string | null }>`select distinct model from message_texts
          where organization_id = ${server.organizations.alice} and agent_id = ${agentId}`.execute(
          server.database.kysely,
        )
        expect(rows).toEqual([{ model: 'native/lexical/512' }])
      },
      { timeout: 20_000 },
    )

  test('of an agent without an embedding model is refused; hybrid goes by words alone', async () => {
    const id = await makeAgent()
    await say(id, 'Foxes sleep by day.')
    const vector = await search({ query: 'fox', search_mode: 'vector', agent_id: id })
    expect([vector.status, vector.body.detail]).toEqual([422, expect.stringContaining('no embedding model')])
    const { body } = await search({ query: 'fox', agent_id: id, roles: ['user'] })
    expect(body).toMatchObject([{ embedded_text: 'Foxes sleep by day.', fts_rank: 1 }])
    expect(body[0]).not.toHaveProperty('vector_rank')
  })

  test('finds messages once background work has embedded them, of one agent and of all', async () => {
    const id = await makeAgent(alice, { embedding: 'cairn/lexical' })
    const other = await makeAgent(alice, { embedding: 'cairn/lexical' })
    await say(id, 'Badgers dig deep.')
    await say(other, 'Badgers sleep long.')
    const of = { query: 'badgers digging', search_mode: 'vector', roles: ['user'] }
    await embedded(id)
    await embedded(other)
    expect((await search({ ...of, agent_id: id })).body).toMatchObject([
      { embedded_text: 'Badgers dig deep.', vector_rank: 1, rrf_score: 1 / 61 },
    ])
    expect(textsOf(await search(of)).slice(0, 2)).toEqual(['Badgers dig deep.', 'Badgers sleep long.'])
    const hybrid = await search({ ...of, search_mode: 'hybrid', agent_id: id })
    expect(hybrid.body).toMatchObject([{ fts_rank: 1, vector_rank: 1, rrf_score: 2 / 61 }])
  })

  test('of an agent that has changed its model has the new vectors after its next run', async () => {
    const id = await makeAgent(alice, { embedding: 'cairn/lexical' })
    await say(id, 'Herons stand still.')
    await embedded(id)
    await sql`update message_texts set model = 'openai/old/256', embedding = null
      where organization_id = ${server.organizations.alice} and agent_id = ${id}`.execute(server.database.kysely)
    await say(id, 'And now?')
    await embedded(id)
  })
})

describe('the messages of all agents', () => {
  test('come newest first, page by page, each once', async () => {
    const id = await makeAgent()
    await say(id, 'One')
    await say(await makeAgent(), 'Two')
    const { body: all } = await alice.get('/v1/messages/?limit=200')
    const [answer, asked] = all
    expect([asked.content, answer.message_type]).toEqual(['Two', 'assistant_message'])
    const seen: string[] = []
    for (let next: string | undefined = '/v1/messages/?limit=3'; next; ) {
      const { body, headers }: { body: { id: string }[]; headers: Record<string, string | undefined> } =
        await alice.get(next)
      seen.push(...body.map((message) => message.id))
      next = /<(.*)>; rel="next"/.exec(headers.link ?? '')?.[1]
    }
    expect(seen).toEqual(all.map((message: { id: string }) => message.id))
    expect((await alice.get(`/v1/messages/${asked.id}`)).body).toEqual([asked])
    expect((await alice.get('/v1/messages/message-00000000-0000-4000-8000-000000000000')).status).toBe(404)
  })
})

test('a message that holds what no search can read is stored all the same', async () => {
  const id = await makeAgent()
  const scope = server.scopeOf(server.organizations.alice)
  await scope.query(sql`
    insert into messages (organization_id, id, agent_id, role, content, tool_calls, created_at) values
      (${scope.organizationId}, 'message-00000000-0000-4000-8000-00000000000a', ${id}, 'assistant',
        '[{"type": "text", "text": "\\u0000"}]', '[{"function": {"name": "send_message", "arguments": "{broken"}}]', now())`)
  expect((await search({ agent_id: id })).body).toEqual([])
})
