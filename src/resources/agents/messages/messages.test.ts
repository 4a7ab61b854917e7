import { beforeAll, describe, expect, test } from 'vitest'
import { eventsIn } from '../../../../test/replies.ts'
import { type Client, useTestServer } from '../../../../test/server.ts'
import { followed, idsOf } from '../../../../test/walk.ts'
import { newId } from '../../../lib/ids.ts'
import { insertMessages } from '../../messages/insert.ts'

const server = useTestServer({ defaultModel: 'cairn/scripted' })
let alice: Client
let bob: Client
beforeAll(() => {
  alice = server.alice
  bob = server.bob
})

async function makeAgent(body: object = {}): Promise<{ id: string }> {
  const reply = await alice.post('/v1/agents/', { memory_blocks: [{ label: 'human', value: 'Name: Ada' }], ...body })
  expect(reply.status).toBe(200)
  return reply.body
}

const send = (id: string, body: object, client = alice) => client.post(`/v1/agents/${id}/messages`, body)

const kinds = (messages: { message_type: string }[]) => messages.map(({ message_type }) => message_type)

const call = (tool: string, args: object) => `!call ${tool} ${JSON.stringify(args)}`

const blockOf = async (id: string, label = 'human') =>
  (await alice.get(`/v1/agents/${id}/core-memory/blocks/${label}`)).body.value

describe('a message to an agent', () => {
  test('is answered, and both are kept', async () => {
    const { id } = await makeAgent()
    const { status, body } = await send(id, { input: 'Hello there' })
    expect(status).toBe(200)
    expect(body).toMatchObject({
      messages: [{ message_type: 'assistant_message', content: expect.stringContaining('"Hello there"') }],
      stop_reason: { stop_reason: 'end_turn' },
      usage: { step_count: 1 },
    })
    const { body: kept } = await alice.get(`/v1/agents/${id}/messages?order=asc`)
    expect(kinds(kept)).toEqual(['system_message', 'user_message', 'assistant_message'])
    expect(kept[2]).toEqual(body.messages[0])
    const { body: agent } = await alice.get(`/v1/agents/${id}`)
    expect(agent.message_ids).toEqual(kept.map((message: { id: string }) => message.id))
    expect(agent).toMatchObject({ last_stop_reason: 'end_turn', last_run_completion: expect.any(String) })
  })

  test('is remembered by the next answer', async () => {
    const { id } = await makeAgent()
    await send(id, { input: 'My cat is Tom' })
    const { body } = await send(id, { messages: [{ role: 'user', content: 'And my dog is Rex' }] })
    expect(body.messages[0].content).toContain('My cat is Tom')
  })

  test.each<[string, object, number]>([
    ['without messages', {}, 422],
    ['with messages and input', { messages: [{ role: 'user', content: 'a' }], input: 'b' }, 422],
    ['with no message', { messages: [] }, 422],
    ['with an empty text', { input: '' }, 400],
    ['that asks for tokens without a stream', { input: 'a', stream_tokens: true }, 422],
    ['that asks for probabilities of a model without them', { input: 'a', return_logprobs: true }, 422],
    ['of an unknown role', { messages: [{ role: 'robot', content: 'a' }] }, 422],
    ['to a model of no provider', { input: 'a', override_model: 'openai/no-such-model' }, 422],
  ])('%s is refused, and nothing is kept', async (_, body, status) => {
    const { id } = await makeAgent()
    expect((await send(id, body)).status).toBe(status)
    expect((await alice.get(`/v1/agents/${id}/messages`)).body).toHaveLength(1)
  })

  test('of another organization finds no agent', async () => {
    const { id } = await makeAgent()
    expect((await send(id, { input: 'Hello' }, bob)).status).toBe(404)
    expect((await bob.get(`/v1/agents/${id}/messages`)).status).toBe(404)
  })

  test('that is sent again with its id gets the run of the first', async () => {
    const { id } = await makeAgent()
    const body = { messages: [{ role: 'user', content: 'Once', otid: 'one' }] }
    const first = await send(id, body)
    const again = await send(id, body)
    expect(again.body.messages).toEqual(first.body.messages)
    expect((await alice.get(`/v1/agents/${id}/messages`)).body).toHaveLength(3)
  })

  test('waits for the one before: fifty at once get fifty answers, one behind the other', async () => {
    const { id } = await makeAgent()
    const replies = await Promise.all(Array.from({ length: 50 }, (_, n) => send(id, { input: `Message ${n}` })))
    expect(replies.map(({ status }) => status)).toEqual(Array(50).fill(200))
    const { body } = await alice.get(`/v1/agents/${id}/messages?order=asc&limit=200`)
    expect(kinds(body.slice(1))).toEqual(Array(50).fill(['user_message', 'assistant_message']).flat())
  })
})

describe('a tool call', () => {
  test('changes the memory of the agent, which the next prompt shows', async () => {
    const { id } = await makeAgent()
    const { body } = await send(id, { input: call('memory_insert', { label: 'human', new_string: 'Likes tea' }) })
    expect(kinds(body.messages)).toEqual(['tool_call_message', 'tool_return_message', 'assistant_message'])
    expect(body.messages[1]).toMatchObject({ status: 'success', tool_return: 'Name: Ada\nLikes tea' })
    expect(await blockOf(id)).toBe('Name: Ada\nLikes tea')
    const { body: answer } = await send(id, { input: '!prompt' })
    expect(answer.messages[0].content).toContain('Likes tea')
  })

  test('that fails is an error that the model reads', async () => {
    const { id } = await makeAgent({ memory_blocks: [{ label: 'human', value: 'x', limit: 5, read_only: false }] })
    for (const [args, message] of [
      [{ label: 'nobody', new_string: 'x' }, 'There is no memory block "nobody"'],
      [{ label: 'human', new_string: 'too long' }, 'holds 5 characters at most'],
      [{ label: 'human' }, 'The argument "new_string" is missing'],
    ] as const) {
      const { body } = await send(id, { input: call('memory_insert', args) })
      expect(body.messages[1]).toMatchObject({ status: 'error', tool_return: expect.stringContaining(message) })
    }
    expect(await blockOf(id)).toBe('x')
  })

  test('of two agents on one block at once loses no change', async () => {
    const block = (await alice.post('/v1/blocks/', { label: 'shared', value: 'start' })).body
    const agents = await Promise.all(Array.from({ length: 4 }, () => makeAgent({ block_ids: [block.id] })))
    await Promise.all(
      agents.map(({ id }, n) =>
        send(id, { input: call('memory_insert', { label: 'shared', new_string: `line ${n}` }) }),
      ),
    )
    const { value } = (await alice.get(`/v1/blocks/${block.id}`)).body
    expect(value.split('\n').sort()).toEqual(['line 0', 'line 1', 'line 2', 'line 3', 'start'])
  })

  test('ends the run when the steps are used up', async () => {
    const { id } = await makeAgent()
    const input = call('memory_insert', { label: 'human', new_string: 'x' })
    const { body } = await send(id, { input, max_steps: 1 })
    expect(body.stop_reason.stop_reason).toBe('max_steps')
  })
})

describe('a call that waits for an approval', () => {
  const input = call('memory_insert', { label: 'human', new_string: 'Approved' })
  const waiting = async () => {
    const { id } = await makeAgent({ tool_rules: [{ type: 'requires_approval', tool_name: 'memory_insert' }] })
    const { body } = await send(id, { input })
    expect(body.stop_reason.stop_reason).toBe('requires_approval')
    const [request] = body.messages
    return { id, request, callId: request.tool_calls[0].tool_call_id as string }
  }
  const answer = (id: string, tool_call_id: string, approve: boolean, reason?: string) =>
    send(id, { messages: [{ type: 'approval', approvals: [{ type: 'approval', tool_call_id, approve, reason }] }] })

  test('is visible, runs when it is approved, and an answer sent again does nothing', async () => {
    const { id, request, callId } = await waiting()
    const { body: agent } = await alice.get(`/v1/agents/${id}?include=agent.pending_approval`)
    expect(agent.pending_approval).toEqual(request)
    expect((await answer(id, 'another', true)).status).toBe(400)
    expect(await blockOf(id)).toBe('Name: Ada')
    const approved = await answer(id, callId, true)
    expect(kinds(approved.body.messages)).toEqual(['tool_return_message', 'assistant_message'])
    expect(await blockOf(id)).toBe('Name: Ada\nApproved')
    expect((await answer(id, callId, true)).body.messages).toEqual([])
    expect(await blockOf(id)).toBe('Name: Ada\nApproved')
    expect((await alice.get(`/v1/agents/${id}?include=agent.pending_approval`)).body.pending_approval).toBeUndefined()
  })

  test('does not run when it is denied, and the model reads the reason', async () => {
    const { id, callId } = await waiting()
    const { body } = await answer(id, callId, false, 'Not today.')
    expect(body.messages[0]).toMatchObject({ status: 'error', tool_return: expect.stringContaining('Not today.') })
    expect(await blockOf(id)).toBe('Name: Ada')
  })

  test('refuses other messages with a 409 that names the request', async () => {
    const { id, request } = await waiting()
    const { status, body } = await send(id, { input: 'Hello?' })
    expect([status, body.pending_request_id]).toEqual([409, request.id])
    const vendor = await alice.post(`/letta/v1/agents/${id}/messages`, { input: 'Hello?' })
    expect(vendor.body.detail).toMatchObject({ code: 'PENDING_APPROVAL', pending_request_id: request.id })
  })

  test('of a tool of the caller is returned by the caller', async () => {
    const { id } = await makeAgent()
    const client_tools = [{ name: 'ask_user', parameters: { type: 'object', properties: {} } }]
    const { body } = await send(id, { input: call('ask_user', {}), client_tools })
    const tool_call_id = body.messages[0].tool_calls[0].tool_call_id
    const returns = [{ type: 'tool', tool_call_id, tool_return: 'Tea, please.', status: 'success' }]
    const reply = await send(id, { messages: [{ type: 'tool_return', tool_returns: returns }], client_tools })
    expect(kinds(reply.body.messages)).toEqual(['tool_return_message', 'assistant_message'])
    expect(reply.body.messages[1].content).toContain('Tea, please.')
  })

  test('is answered together with a message, which follows the return in every list', async () => {
    const { id, callId } = await waiting()
    const approvals = [{ type: 'approval', tool_call_id: callId, approve: false }]
    await send(id, {
      messages: [
        { type: 'approval', approvals },
        { role: 'user', content: 'Go on.' },
      ],
    })
    const { body } = await alice.get(`/v1/agents/${id}/messages?order=asc`)
    expect(kinds(body).slice(-4)).toEqual([
      'approval_response_message',
      'tool_return_message',
      'user_message',
      'assistant_message',
    ])
  })

  test('streams under the ids that lists have for it', async () => {
    const { id } = await makeAgent({ tool_rules: [{ type: 'requires_approval', tool_name: 'memory_insert' }] })
    const input = `Please. ${call('memory_insert', { label: 'human', new_string: 'x' })}`
    const { body } = await send(id, { input, streaming: true, stream_tokens: true })
    const listed = (await alice.get(`/v1/agents/${id}/messages?order=asc`)).body
    const otids = (messages: { [field: string]: unknown }[]) => new Set(messages.flatMap(({ otid }) => otid ?? []))
    const streamed = otids(eventsIn(body as unknown as string))
    expect([...otids(listed)]).toEqual(expect.arrayContaining([...streamed]))
  })
})

describe('a stream', () => {
  test('reports tokens, the return of a tool, the reason and the usage', async () => {
    const { id } = await makeAgent()
    const input = call('memory_insert', { label: 'human', new_string: 'x' })
    const { body, headers } = await send(id, { input, streaming: true, stream_tokens: true })
    expect(headers['content-type']).toMatch(/^text\/event-stream/)
    const events = eventsIn(body as unknown as string)
    expect(events[0]!.message_type).toBe('ping')
    expect([...new Set(kinds(events))]).toEqual([
      'ping',
      'tool_call_message',
      'tool_return_message',
      'assistant_message',
      'stop_reason',
      'usage_statistics',
    ])
    expect((body as unknown as string).endsWith('data: [DONE]\n\n')).toBe(true)
    const text = events.flatMap(({ message_type, content }) => (message_type === 'assistant_message' ? content : []))
    const { body: kept } = await alice.get(`/v1/agents/${id}/messages?limit=1`)
    expect(text.join('')).toBe(kept[0].content)
  })

  test('of whole messages has those of a blocking send', async () => {
    const { id } = await makeAgent()
    const { body } = await send(id, { input: 'Hello', streaming: true, include_pings: false })
    expect(kinds(eventsIn(body as unknown as string))).toEqual(['assistant_message', 'stop_reason', 'usage_statistics'])
  })

  test('numbers its events in the background', async () => {
    const { id } = await makeAgent()
    const { body } = await send(id, { input: 'Hello', streaming: true, background: true })
    const [first, second] = eventsIn(body as unknown as string)
    expect([first!.seq_id, second!.seq_id]).toEqual([1, 2])
  })
})

describe('the messages of an agent', () => {
  test('come page by page, in both directions, each once', async () => {
    const { id } = await makeAgent()
    for (const word of ['one', 'two', 'three']) await send(id, { input: word })
    const url = `/v1/agents/${id}/messages`
    const all = (await alice.get(`${url}?order=asc`)).body.map((message: { id: string }) => message.id)
    for (const order of ['asc', 'desc']) {
      const seen: string[] = []
      for (let next: string | undefined = `${url}?order=${order}&limit=2`; next; ) {
        const { body, headers }: { body: { id: string }[]; headers: Record<string, string | undefined> } =
          await alice.get(next)
        seen.push(...body.map((message) => message.id))
        next = /<(.*)>; rel="next"/.exec(headers.link ?? '')?.[1]
      }
      expect(seen).toEqual(order === 'asc' ? all : all.toReversed())
    }
  })

  test('come in shorter pages where they are long', async () => {
    const { id } = await makeAgent()
    const content = [{ type: 'text', text: 'x'.repeat(1_000_000) }]
    const long = Array.from({ length: 20 }, () => ({ id: newId('message'), role: 'user', content }))
    await insertMessages(server.scopeOf(server.organizations.alice), id, long)
    const pages = await followed<{ id: string }>(alice, `/v1/agents/${id}/messages`)
    expect(pages.map(idsOf)).toEqual([
      idsOf(long).slice(3).reverse(),
      [...idsOf(long).slice(0, 3).reverse(), expect.any(String)],
    ])
  })
})
