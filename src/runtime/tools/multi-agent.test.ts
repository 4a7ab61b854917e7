import { describe, expect, test, vi } from 'vitest'
import { type Client, useTestServer } from '../../../test/server.ts'
import { callOf, callTool } from '../../../test/tool-calls.ts'
import { createLetters } from '../letters.ts'

const server = useTestServer({ defaultModel: 'cairn/scripted' })

const ASK = 'send_message_to_agent_and_wait_for_reply'
const TELL = 'send_message_to_agent_async'
const TELL_ALL = 'send_message_to_agents_matching_tags'

async function makeAgent(body: object = {}, client: Client = server.alice): Promise<string> {
  const reply = await client.post('/v1/agents/', { tools: [ASK, TELL, TELL_ALL], include_base_tools: false, ...body })
  expect(reply.status).toBe(200)
  return reply.body.id
}

const messagesOf = async (id: string, client: Client = server.alice) =>
  (await client.get(`/v1/agents/${id}/messages?order=asc`)).body

const ask = (id: string, other_agent_id: string, message: string) =>
  callTool(server.alice, id, ASK, { message, other_agent_id })

describe('an agent that asks another', () => {
  test('gets its reply; the other reads who asks', async () => {
    const [id, other] = [await makeAgent(), await makeAgent()]
    const { status, tool_return } = await ask(id, other, 'Are you there?')
    expect([status, tool_return]).toEqual([
      'success',
      expect.stringContaining(`{'agent_id': '${other}', 'response': [`),
    ])
    expect(tool_return).toContain('Are you there?')
    const [, question, answer] = await messagesOf(other)
    expect(question).toMatchObject({
      message_type: 'system_message',
      sender_id: id,
      content: expect.stringMatching(`agent with ID '${id}'.* Are you there\\?$`),
    })
    expect(answer.message_type).toBe('assistant_message')
  })

  test('of another organization finds none', async () => {
    const [id, his] = [await makeAgent(), await makeAgent({ tags: ['team'] }, server.bob)]
    expect(await ask(id, his, 'Hello?')).toMatchObject({ status: 'error', tool_return: expect.stringContaining(his) })
    expect(await callTool(server.alice, id, TELL, { message: 'Hello?', other_agent_id: his })).toMatchObject({
      status: 'error',
    })
    const all = await callTool(server.alice, id, TELL_ALL, { message: 'Hello?', match_all: ['team'], match_some: [] })
    expect(all.tool_return).toBe('[]')
    expect(await messagesOf(his, server.bob)).toHaveLength(1)
  })

  test('that asks it in turn reads that no reply can come, and both end', async () => {
    const [id, other] = [await makeAgent(), await makeAgent()]
    const back = callOf(ASK, { message: 'And you?', other_agent_id: id })
    expect((await ask(id, other, back)).status).toBe('success')
    const returned = (await messagesOf(other)).find(
      ({ message_type }: { message_type: string }) => message_type === 'tool_return_message',
    )
    expect(returned).toMatchObject({ status: 'error', tool_return: expect.stringContaining('could never reply') })
    expect((await ask(id, id, 'Am I here?')).tool_return).toContain('could never reply')
  })

  test('at the very moment at which the other asks it', async () => {
    const [id, other] = [await makeAgent(), await makeAgent()]
    const asks = Array.from({ length: 6 }, (_, n) => (n % 2 ? ask(id, other, `${n}`) : ask(other, id, `${n}`)))
    for (const { status, tool_return } of await Promise.all(asks)) {
      expect(tool_return).toMatch(status === 'success' ? "{'agent_id': " : 'could never reply')
    }
  })

  test('that waits for an approval reads why it gets no reply', async () => {
    const [id, other] = [
      await makeAgent(),
      await makeAgent({ tool_rules: [{ type: 'requires_approval', tool_name: TELL }] }),
    ]
    const call = callOf(TELL, { message: 'x', other_agent_id: id })
    expect((await ask(id, other, call)).tool_return).toContain('<waits for an approval>')
    expect(await ask(id, other, 'Again?')).toMatchObject({
      status: 'error',
      tool_return: expect.stringContaining('approval'),
    })
  })
})

test('an agent asks all others with certain tags, and gets the replies of each', async () => {
  const [both, one] = [await makeAgent({ tags: ['red', 'round'] }), await makeAgent({ tags: ['red'] })]
  await makeAgent({ tags: ['blue'] })
  const id = await makeAgent({ tags: ['red'] })
  const tell = async (match_all: string[], match_some: string[]) => {
    const { tool_return } = await callTool(server.alice, id, TELL_ALL, { message: 'All?', match_all, match_some })
    return [...tool_return.matchAll(/'agent_id': '(.*?)'/g)].map(([, agent]) => agent)
  }
  expect(await tell(['red'], [])).toEqual([both, one])
  expect(await tell(['red'], ['round', 'square'])).toEqual([both])
  expect(await tell(['green'], [])).toEqual([])
})

test('an agent tells another something without waiting', async () => {
  const [id, other] = [await makeAgent(), await makeAgent()]
  const told = await callTool(server.alice, id, TELL, { message: 'By the way.', other_agent_id: other })
  expect(told).toMatchObject({ status: 'success', tool_return: expect.stringContaining(other) })
  await vi.waitFor(async () => expect(await messagesOf(other)).toHaveLength(3), { timeout: 30_000 })
})

test('messages that agents pass on end after eight agents', async () => {
  const scope = server.scopeOf(server.organizations.alice)
  const from = { agent_id: await makeAgent(), run_id: 'run-1', tool_call_id: 'call-1' }
  const letters = createLetters(() => {
    throw new Error('Nothing is to be sent.')
  })
  const letter = { from, to: await makeAgent(), text: 'On and on', hops: 8 }
  await expect(letters.tell(scope, letter)).rejects.toThrow('8 messages already')
})

test.each([
  [ASK, { message: 'x', other_agent_id: 'Bob' }, 'is no id of an agent'],
  [TELL, { other_agent_id: 'agent-00000000-0000-4000-8000-000000000000' }, '"message" is missing'],
])('%s with %j is an error that the model reads', async (tool, args, message) => {
  expect(await callTool(server.alice, await makeAgent(), tool, args)).toMatchObject({
    status: 'error',
    tool_return: expect.stringContaining(message),
  })
})
