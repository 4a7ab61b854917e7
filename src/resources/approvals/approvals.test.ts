import { sql } from 'kysely'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { newOrganization } from '../../../test/populate.ts'
import { type Client, useTestServer } from '../../../test/server.ts'
import { followed, walk } from '../../../test/walk.ts'

const server = useTestServer({ defaultModel: 'cairn/scripted' }, { supervision: { leaseMs: 60_000, renewMs: 100 } })
let alice: Client
let bob: Client
beforeAll(() => {
  alice = server.alice
  bob = server.bob
})

const call = (text: string) => `!call memory_insert ${JSON.stringify({ label: 'human', new_string: text })}`

async function makeAgent(client = alice): Promise<string> {
  const body = {
    memory_blocks: [{ label: 'human', value: 'Name: Ada' }],
    tool_rules: [{ type: 'requires_approval', tool_name: 'memory_insert' }],
  }
  const reply = await client.post('/v1/agents/', body)
  expect(reply.status).toBe(200)
  return reply.body.id
}

const send = (id: string, body: object, client = alice) => client.post(`/v1/agents/${id}/messages`, body)

/** An agent with a call that waits, and the request. */
async function waiting(client = alice, body: object = {}) {
  const id = await makeAgent(client)
  const reply = await send(id, { input: call('Approved'), ...body }, client)
  expect(reply.body.stop_reason.stop_reason).toBe('requires_approval')
  const [request] = reply.body.messages
  return { id, request, callId: request.tool_calls[0].tool_call_id as string }
}

const answer = (id: string, tool_call_ids: string[], approve: boolean) =>
  send(id, {
    messages: [
      {
        type: 'approval',
        approvals: tool_call_ids.map((tool_call_id) => ({ type: 'approval', tool_call_id, approve })),
      },
    ],
  })

const memoryOf = async (id: string) => (await alice.get(`/v1/agents/${id}/core-memory/blocks/human`)).body.value

const list = async (query = '', client = alice) => (await client.get(`/v1/approvals/?limit=200${query}`)).body

const newest = async (id: string, limit: number) => (await alice.get(`/v1/agents/${id}/messages?limit=${limit}`)).body

describe('the calls that wait for an approval', () => {
  test('are listed for the organization, oldest first, page by page, until they are answered', async () => {
    const [one, two] = [await waiting(), await waiting()]
    const hidden = await waiting(bob)
    const { body: conversation } = await alice.post(`/v1/conversations/?agent_id=${one.id}`, {})
    const url = `/v1/conversations/${conversation.id}/messages`
    const { body } = await alice.post(url, { input: call('There'), streaming: false })
    const [three] = body.messages
    const all = await list()
    const ids = [one.request.id, two.request.id, three.id]
    expect(all.map(({ id }: { id: string }) => id)).toEqual(ids)
    expect(all[0]).toEqual({ id: ids[0], agent_id: one.id, request: one.request, created_at: expect.any(String) })
    expect(all[2]).toMatchObject({ agent_id: one.id, conversation_id: conversation.id })
    for (const order of ['asc', 'desc']) {
      const seen = await walk<{ id: string }>(alice, `/v1/approvals/?order=${order}&limit=1`)
      expect(seen.map(({ id }) => id)).toEqual(order === 'asc' ? ids : ids.toReversed())
    }
    const before = (await alice.get(`/v1/approvals/?before=${three.id}&limit=1`)).body
    expect(before.map(({ id }: { id: string }) => id)).toEqual([two.request.id])
    expect(await list(`&agent_id=${one.id}`)).toHaveLength(2)
    expect((await alice.get(`/v1/approvals/?agent_id=${hidden.id}`)).status).toBe(404)
    expect((await list('', bob)).map(({ id }: { id: string }) => id)).toEqual([hidden.request.id])
    await answer(one.id, [one.callId], true)
    await answer(two.id, [two.callId], false)
    await alice.post(`/v1/conversations/${conversation.id}/cancel`)
    expect(await list()).toEqual([])
  })

  test('are fewer on a page where they are large, and none is left out', async () => {
    const client = await newOrganization(server, 'Large')
    const text = 'x'.repeat(900_000)
    const ids: string[] = []
    for (let n = 0; n < 7; n++) ids.push((await waiting(client, { input: call(text) })).request.id)
    for (const order of ['asc', 'desc']) {
      const pages = await followed<{ id: string }>(client, `/v1/approvals/?limit=200&order=${order}`)
      expect(pages.length).toBeGreaterThan(1)
      const seen = pages.flat().map(({ id }) => id)
      expect(seen).toEqual(order === 'asc' ? ids : ids.toReversed())
    }
  })

  test('are all answered at once, each with its own answer, and never in part', async () => {
    const id = await makeAgent()
    const { body } = await send(id, { input: `${call('One')}\n${call('Two')}` })
    const [one, two] = body.messages[0].tool_calls.map(({ tool_call_id }: { tool_call_id: string }) => tool_call_id)
    expect((await answer(id, [one], true)).status).toBe(400)
    expect(await list(`&agent_id=${id}`)).toHaveLength(1)
    const approvals = [
      { type: 'approval', tool_call_id: two, approve: true },
      { type: 'approval', tool_call_id: one, approve: false, reason: 'Not this one' },
      { type: 'approval', tool_call_id: two, approve: true },
    ]
    const disputed = [...approvals, { type: 'approval', tool_call_id: two, approve: false }]
    expect((await send(id, { messages: [{ type: 'approval', approvals: disputed }] })).status).toBe(400)
    const reply = await send(id, { messages: [{ type: 'approval', approvals }] })
    const returns = reply.body.messages[0].tool_returns
    expect(returns.map(({ status }: { status: string }) => status)).toEqual(['error', 'success'])
    expect(await memoryOf(id)).toBe('Name: Ada\nTwo')
    expect((await send(id, { messages: [{ type: 'approval', approvals }] })).body.messages).toEqual([])
    expect(await memoryOf(id)).toBe('Name: Ada\nTwo')
  })

  test.each([
    ['/v1', 'An approval', (id: string) => ({ type: 'approval', approvals: [{ tool_call_id: id, approve: true }] })],
    [
      '/letta/v1',
      'An approval',
      (id: string) => ({ type: 'approval', approvals: [{ tool_call_id: id, approve: true }] }),
    ],
    [
      '/v1',
      'A return',
      (id: string) => ({
        type: 'tool_return',
        tool_returns: [{ type: 'tool', tool_call_id: id, tool_return: 'x', status: 'success' }],
      }),
    ],
  ])('still wait after an answer that is not the first message (%s, %s)', async (surface, _, answerFor) => {
    const { id, callId } = await waiting()
    const said = { role: 'user', content: 'Hello' }
    for (const [n, messages] of [
      [1, [said, answerFor(callId)]],
      [2, [answerFor(callId), said, answerFor(callId)]],
    ] as const) {
      const reply = await alice.post(`${surface}/agents/${id}/messages`, { messages })
      expect(reply.status).toBe(400)
      expect(reply.body.detail).toBe(`messages[${n}]: an answer to a request for approval must be the first message.`)
    }
    expect(await list()).toContainEqual(expect.objectContaining({ agent_id: id }))
    expect((await answer(id, [callId], true)).status).toBe(200)
  })

  test('take a repeated answer as one, though the messages of the first were summarized', async () => {
    const { id, callId } = await waiting()
    await answer(id, [callId], true)
    const settings = { compaction_settings: { mode: 'all', model: 'cairn/scripted' } }
    expect((await alice.post(`/v1/agents/${id}/summarize`, settings)).body.num_messages_after).toBe(2)
    const again = await answer(id, [callId], true)
    expect([again.status, again.body.messages]).toEqual([200, []])
    expect(await memoryOf(id)).toBe('Name: Ada\nApproved')
    expect((await answer(id, ['another'], true)).status).toBe(400)
    const { body: conversation } = await alice.post(`/v1/conversations/?agent_id=${id}`, {})
    const approvals = [{ type: 'approval', tool_call_id: callId, approve: true }]
    const body = { messages: [{ type: 'approval', approvals }], streaming: false }
    expect((await alice.post(`/v1/conversations/${conversation.id}/messages`, body)).status).toBe(400)
  })

  test('are denied by a message that says so, which is then answered', async () => {
    const { id, request } = await waiting()
    expect((await send(id, { input: 'Hello?' })).body.pending_request_id).toBe(request.id)
    expect((await send(id, { input: 'Hello?', on_pending: 'ignore' })).status).toBe(422)
    const { status, body } = await send(id, { input: 'Never mind', on_pending: 'deny' })
    expect([status, body.messages.at(-1).content]).toEqual([200, expect.stringContaining('Never mind')])
    expect(body.messages[0]).toMatchObject({ message_type: 'tool_return_message', status: 'error' })
    expect(await memoryOf(id)).toBe('Name: Ada')
    expect(await list(`&agent_id=${id}`)).toEqual([])
    expect((await send(id, { input: 'Hello', on_pending: 'deny' })).status).toBe(200)
  })
})

describe('a message that comes again and again while calls wait', () => {
  const messages = [{ role: 'user', content: 'Hello?', otid: 'mine' }]
  /** Sends it so often. Returns the statuses, with the seconds to pause. */
  async function repeat(id: string, times: number, body: object = {}, prefix = '') {
    const replies: unknown[] = []
    for (let n = 0; n < times; n++) {
      const { status, headers } = await alice.post(`${prefix}/v1/agents/${id}/messages`, { messages, ...body })
      replies.push(headers['retry-after'] === undefined ? status : `${status} after ${headers['retry-after']}`)
    }
    return replies
  }
  const later = async <T>(work: () => Promise<T>) => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 11 * 60 * 1000 })
    try {
      return await work()
    } finally {
      vi.useRealTimers()
    }
  }

  test('is asked to pause after five refusals, a stream too; a request that a person can answer stays', async () => {
    const [one, two] = [await waiting(), await waiting()]
    expect(await repeat(one.id, 7)).toEqual([409, 409, 409, 409, 409, '409 after 30', '409 after 30'])
    expect(await repeat(two.id, 6, { streaming: true }, '/letta')).toEqual([200, 200, 200, 200, 200, '409 after 30'])
    expect((await send(one.id, { input: 'Another' })).headers['retry-after']).toBeUndefined()
    expect(await later(() => repeat(one.id, 1))).toEqual(['409 after 30'])
    expect(await list(`&agent_id=${one.id}`)).toHaveLength(1)
  })

  test('is answered at last where the calls wait for a tool of a caller that is gone', async () => {
    const id = await makeAgent()
    const client_tools = [{ name: 'ask_user', parameters: { type: 'object', properties: {} } }]
    await send(id, { input: '!call ask_user {}', client_tools })
    expect(await repeat(id, 6)).toEqual([409, 409, 409, 409, 409, '409 after 30'])
    expect(await later(() => repeat(id, 1, { client_tools }))).toEqual(['409 after 30'])
    expect(await later(() => repeat(id, 1))).toEqual([200])
    expect(await list(`&agent_id=${id}`)).toEqual([])
  })
})

describe('a request for approval with an end', () => {
  /** Moves the end of a request into the past. */
  const expire = (id: string) =>
    sql`update threads set pending_expires_at = now() - interval '1 second' where id = ${id}`.execute(
      server.database.kysely,
    )

  test('says when it ends, and is denied then, visibly, though nobody asks', { timeout: 60_000 }, async () => {
    const { id, request } = await waiting(alice, { approval_expires_after: 3600 })
    const [{ expires_at, created_at }] = await list(`&agent_id=${id}`)
    expect(Date.parse(expires_at) - Date.parse(created_at)).toBeGreaterThan(3_500_000)
    const url = `/v1/agents/${id}`
    const shown = async () => (await alice.get(`${url}?include=agent.pending_approval`)).body.pending_approval
    expect(await shown()).toEqual({ ...request, expires_at })
    expect((await alice.patch(url, { pending_approval: await shown() })).status).toBe(200)
    expect(await list(`&agent_id=${id}`)).toMatchObject([{ expires_at }])
    expect(await shown()).toEqual({ ...request, expires_at })
    await expire(id)
    await vi.waitUntil(async () => (await list(`&agent_id=${id}`)).length === 0, { timeout: 50_000 })
    const [returned, response] = await newest(id, 2)
    expect(returned).toMatchObject({ message_type: 'tool_return_message', status: 'error' })
    expect(response).toMatchObject({ message_type: 'approval_response_message', approve: false })
    expect(response.approvals[0].tool_call_id).toBe(request.tool_calls[0].tool_call_id)
    expect(await memoryOf(id)).toBe('Name: Ada')
  })

  test('holds up no message afterwards, and takes no approval', async () => {
    const [one, two] = [await waiting(alice, { approval_expires_after: 3600 }), await waiting()]
    await expire(one.id)
    await expire(two.id)
    expect((await answer(one.id, [one.callId], true)).body.messages ?? []).toEqual([])
    expect((await send(two.id, { input: 'Hello' })).status).toBe(200)
    for (const { id } of [one, two]) expect(await memoryOf(id)).toBe('Name: Ada')
  })
})

test('an answer in the old form, by the id of the request, does nothing when it is repeated', async () => {
  const { id, request } = await waiting()
  const old = { messages: [{ type: 'approval', approve: true, approval_request_id: request.id }] }
  expect((await send(id, old)).body.stop_reason.stop_reason).toBe('end_turn')
  const before = await newest(id, 20)
  const again = await send(id, old)
  expect([again.status, again.body.messages]).toEqual([200, []])
  expect(await newest(id, 20)).toEqual(before)
  expect(await memoryOf(id)).toBe('Name: Ada\nApproved')
  const foreign = { ...old.messages[0], approval_request_id: (await waiting(bob)).request.id }
  expect((await send(id, { messages: [foreign] })).status).toBe(400)
})
