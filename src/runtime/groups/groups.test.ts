import { describe, expect, test } from 'vitest'
import { makeAgent, makeAgents, makeGroup, sendTo, spoken } from '../../../test/group-agents.ts'
import { eventsIn } from '../../../test/replies.ts'
import { useTestServer } from '../../../test/server.ts'
import { callOf } from '../../../test/tool-calls.ts'

const server = useTestServer({ defaultModel: 'cairn/scripted' })
const NAMES = ['Ada', 'Bob', 'Eve'] as const

const messagesOf = async (agent: string) => (await server.alice.get(`/v1/agents/${agent}/messages?order=asc`)).body
const textsOf = async (agent: string): Promise<string[]> =>
  (await messagesOf(agent)).map(({ content }: { content: string }) => content)
const usersAnd = (texts: string[]) => texts.slice(1)

/** A group of three agents. */
async function makeThree(manager_config: object = { manager_type: 'round_robin' }) {
  const agents = await makeAgents(server.alice, NAMES)
  return {
    agents,
    group: await makeGroup(
      server.alice,
      NAMES.map((name) => agents[name]),
      manager_config,
    ),
  }
}

describe('in a group without a manager', () => {
  test('each member speaks in its turn, and reads what the others have said', async () => {
    const { agents, group } = await makeThree()
    const { messages, stop_reason, usage } = await sendTo(server.alice, group, 'Hello.')
    expect(stop_reason.stop_reason).toBe('end_turn')
    expect(spoken(messages).map(([name]) => name)).toEqual(NAMES)
    expect(messages.map(({ sender_id }: { sender_id: string }) => sender_id)).toEqual(NAMES.map((name) => agents[name]))
    expect(spoken(messages)[0]![1]).toContain('You said: "Hello."')
    expect(await textsOf(agents.Eve)).toEqual([
      expect.anything(),
      'Hello.',
      expect.stringMatching(/^Ada: You said: "Hello\."/),
      expect.stringMatching(/^Bob: You said: /),
      expect.stringMatching(/^You said: /),
    ])
    expect(usage.run_ids).toHaveLength(3)
    const runs = (await server.alice.get(`/v1/runs/?group_id=${group}&order=asc`)).body
    const [parent, ...turns] = runs
    expect(parent).toMatchObject({ agent_id: group, group_id: group, status: 'completed' })
    expect(turns.map(({ agent_id }: { agent_id: string }) => agent_id)).toEqual(NAMES.map((name) => agents[name]))
    for (const turn of turns) expect(turn).toMatchObject({ parent_run_id: parent.id, status: 'completed' })
    expect((await server.alice.get(`/v1/runs/${parent.id}/steps`)).body).toHaveLength(3)
    expect((await server.alice.get(`/v1/runs/${parent.id}/usage`)).body.total_tokens).toBe(usage.total_tokens)
    expect(spoken((await server.alice.get(`/v1/runs/${parent.id}/messages`)).body)).toEqual(spoken(messages))
  })

  test('members speak as often as max_turns says, and read later what they have missed', async () => {
    const { agents, group } = await makeThree({ manager_type: 'round_robin', max_turns: 4 })
    const first = await sendTo(server.alice, group, 'One.')
    expect(spoken(first.messages).map(([name]) => name)).toEqual(['Ada', 'Bob', 'Eve', 'Ada'])
    await sendTo(server.alice, group, 'Two.')
    const bob = usersAnd(await textsOf(agents.Bob))
    expect(bob.slice(0, 3)).toEqual(['One.', expect.stringMatching(/^Ada: /), expect.stringMatching(/^You said/)])
    expect(bob.slice(3, 7)).toEqual([
      expect.stringMatching(/^Eve: /),
      expect.stringMatching(/^Ada: /),
      'Two.',
      expect.stringMatching(/^Ada: .*Two\./),
    ])
    const { id } = (
      await server.alice.patch(`/v1/groups/${group}`, {
        manager_config: { manager_type: 'round_robin', max_turns: 0 },
      })
    ).body
    expect(await sendTo(server.alice, id, 'Three.')).toMatchObject({
      messages: [],
      stop_reason: { stop_reason: 'end_turn' },
    })
  })

  test('the turn ends once its members have used the tokens that the caller allows', async () => {
    const { group } = await makeThree()
    const { messages, stop_reason } = await sendTo(server.alice, group, 'Hello.', { max_total_tokens: 1 })
    expect([stop_reason.stop_reason, spoken(messages)]).toEqual(['max_tokens_exceeded', [['Ada', expect.anything()]]])
  })

  test('a stream names each speaker, and can be read again from any event', async () => {
    const { agents, group } = await makeThree()
    const body = { input: 'Hello.', streaming: true, stream_tokens: true, background: true }
    const reply = await server.alice.post(`/v1/groups/${group}/messages`, body)
    const events = eventsIn(reply.body as unknown as string)
    const [ping] = events
    expect(ping).toMatchObject({ message_type: 'ping' })
    const said = events.filter(({ message_type }) => message_type === 'assistant_message')
    expect([...new Set(said.map(({ name }) => name))]).toEqual(NAMES)
    expect([...new Set(said.map(({ sender_id }) => sender_id))]).toEqual(NAMES.map((name) => agents[name]))
    expect(events.slice(-2).map(({ message_type }) => message_type)).toEqual(['stop_reason', 'usage_statistics'])
    const numbers = events.flatMap(({ seq_id }) => (seq_id === undefined ? [] : [seq_id as number]))
    expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b))
    for (const after of [0, numbers[1]!, numbers.at(-2)!]) {
      const again = await server.alice.post(`/v1/runs/${ping!.run_id}/stream`, {
        starting_after: after,
        include_pings: false,
      })
      const late = (event: (typeof events)[number]) =>
        event.message_type !== 'ping' && Number(event.seq_id ?? after + 1) > after
      expect(eventsIn(again.body as unknown as string)).toEqual(events.filter(late))
    }
  })

  test('the stream of the route of its own tells why the turn ends, and older clients of Letta get no such events', async () => {
    const { group } = await makeThree()
    const kindsAt = async (prefix: string) => {
      const reply = await server.alice.post(`${prefix}/v1/groups/${group}/messages/stream`, {
        messages: [{ role: 'user', content: 'Hello.' }],
      })
      return eventsIn(reply.body as unknown as string).map(({ message_type }) => message_type)
    }
    expect((await kindsAt('')).slice(-2)).toEqual(['stop_reason', 'usage_statistics'])
    expect(await kindsAt('/letta')).toEqual([...NAMES.map(() => 'assistant_message'), 'usage_statistics'])
  })

  test('messages that come at once are answered one behind the other', async () => {
    const { agents, group } = await makeThree()
    await Promise.all(['One.', 'Two.', 'Three.'].map((text) => sendTo(server.alice, group, text)))
    const texts = await textsOf(agents.Ada)
    expect(texts.filter((text) => /^(One|Two|Three)\.$/.test(text))).toHaveLength(3)
    expect((await server.alice.get(`/v1/runs/?group_id=${group}&statuses=completed`)).body).toHaveLength(12)
  })
})

describe('under a manager', () => {
  test('a supervisor asks all members, and answers itself', async () => {
    const { Ada, Bob, Eve } = await makeAgents(server.alice, NAMES)
    const group = await makeGroup(server.alice, [Bob, Eve], { manager_type: 'supervisor', manager_agent_id: Ada })
    const call = callOf('send_message_to_all_agents_in_group', { message: 'Who is there?' })
    const { messages, usage } = await sendTo(server.alice, group, call)
    expect(spoken(messages)).toEqual([['Ada', expect.stringContaining('send_message_to_all_agents_in_group returned')]])
    const returned = messages.find(
      ({ message_type }: { message_type: string }) => message_type === 'tool_return_message',
    )
    for (const member of [Bob, Eve]) expect(returned.tool_return).toContain(member)
    expect(returned.tool_return).toContain('Who is there?')
    expect(usage.run_ids).toHaveLength(3)
    const names = spoken((await server.alice.get(`/v1/groups/${group}/messages?order=asc`)).body).map(([name]) => name)
    expect(names.toSorted()).toEqual(NAMES)
  })

  test('a dynamic manager names the next speaker, or says the word that ends it', async () => {
    const { Ada, Bob, Eve } = await makeAgents(server.alice, NAMES)
    const config = { manager_type: 'dynamic', manager_agent_id: Ada, termination_token: 'ENOUGH' }
    const group = await makeGroup(server.alice, [Bob, Eve], config)
    const choose = (name: string) => sendTo(server.alice, group, callOf('choose_next_speaker', { name }))
    const talk = await choose('Eve')
    // Ada reads Eve's words, and names nobody.
    expect(spoken(talk.messages).map(([name]) => name)).toEqual(['Eve', 'Ada'])
    expect(await messagesOf(Bob)).toHaveLength(1)
    const done = await choose('ENOUGH')
    expect([spoken(done.messages), done.stop_reason.stop_reason]).toEqual([[], 'end_turn'])
    expect(JSON.stringify((await choose('Zoe')).messages)).toContain('Nobody is named')
  })

  test('an agent of a swarm hands over, and the next message goes to the agent that spoke last', async () => {
    const { agents, group } = await makeThree({ manager_type: 'swarm' })
    const call = callOf('hand_over', { name: 'Eve', message: 'It is about money.' })
    const { messages } = await sendTo(server.alice, group, call)
    expect(spoken(messages).map(([name]) => name)).toEqual(['Eve'])
    expect(await textsOf(agents.Eve)).toContain('Ada: I hand over to Eve: It is about money.')
    const next = await sendTo(server.alice, group, 'How much?')
    expect(spoken(next.messages)).toEqual([['Eve', expect.stringContaining('How much?')]])
    expect(await messagesOf(agents.Bob)).toHaveLength(1)
  })

  test('an agent of a swarm whose hand-over names nobody goes on, and one may hand over without a word', async () => {
    const { agents, group } = await makeThree({ manager_type: 'swarm' })
    for (const args of [{}, { name: 'Zoe', message: 'Yours.' }]) {
      const { messages } = await sendTo(server.alice, group, callOf('hand_over', args))
      expect(spoken(messages)).toEqual([['Ada', expect.stringContaining('The names are: Bob, Eve.')]])
    }
    await sendTo(server.alice, group, callOf('hand_over', { name: 'Eve' }))
    expect(await textsOf(agents.Eve)).toContain('Ada: I hand over to Eve.')
  })

  test('a sleep-time group answers by its manager, and its members think afterwards', async () => {
    const made = (
      await server.alice.post('/v1/agents/', {
        name: 'Ada',
        enable_sleeptime: true,
        include_base_tools: false,
      })
    ).body
    const { messages } = await sendTo(server.alice, made.managed_group.id, 'Hello.')
    expect(spoken(messages)).toEqual([['Ada', expect.stringContaining('Hello.')]])
    const { id, agent_ids } = made.managed_group
    expect((await server.alice.get(`/v1/groups/${id}`)).body.turns_counter).toBe(0)
    expect((await server.alice.get(`/v1/runs/?agent_id=${agent_ids[0]}`)).body).toHaveLength(1)
  })
})

type Listed = Record<string, string>

describe('of a group', () => {
  test.each([
    { manager_type: 'round_robin', max_turns: 5 },
    { manager_type: 'dynamic', manager_agent_id: 'Ada' },
    { manager_type: 'supervisor', manager_agent_id: 'Ada' },
    { manager_type: 'swarm' },
  ])('the messages of a run are the conversation, and those of its caller are there once: %o', async (manager) => {
    const { Ada, Bob, Eve } = await makeAgents(server.alice, NAMES)
    const named = manager.manager_agent_id !== undefined
    const members = named ? [Bob, Eve] : [Ada, Bob, Eve]
    const group = await makeGroup(server.alice, members, { ...manager, ...(named && { manager_agent_id: Ada }) })
    const first = await sendTo(server.alice, group, 'One.')
    const second = await sendTo(server.alice, group, 'Two.')
    const listed: Listed[][] = []
    for (const { usage } of [first, second]) {
      const { parent_run_id } = (await server.alice.get(`/v1/runs/${usage.run_ids[0]}`)).body
      listed.push((await server.alice.get(`/v1/runs/${parent_run_id}/messages`)).body)
    }
    const others = (messages: Listed[]) => messages.filter(({ sender_id }) => sender_id === undefined)
    expect(listed.map((messages) => others(messages).map(({ content }) => content))).toEqual([['One.'], ['Two.']])
    expect(listed.map((messages) => messages[0]!.content)).toEqual(['One.', 'Two.'])
    expect(listed.map((messages) => spoken(messages))).toEqual([spoken(first.messages), spoken(second.messages)])
    expect((await server.alice.get(`/v1/groups/${group}/messages?order=asc`)).body).toEqual(listed.flat())
  })

  test('messages are listed once, with who said them', async () => {
    const { agents, group } = await makeThree()
    await sendTo(server.alice, group, 'Hello.')
    const list = (await server.alice.get(`/v1/groups/${group}/messages?order=asc`)).body
    expect(list.map(({ message_type, sender_id }: Record<string, string>) => [message_type, sender_id])).toEqual([
      ['user_message', undefined],
      ...NAMES.map((name) => ['assistant_message', agents[name]]),
    ])
    expect((await server.alice.get(`/v1/groups/${group}/messages?limit=2`)).body).toEqual([list[3], list[2]])
  })

  test('all messages go at a reset, those of members by themselves stay, and members begin anew', async () => {
    const { agents, group } = await makeThree()
    await server.alice.post(`/v1/agents/${agents.Ada}/messages`, { input: 'Between us.' })
    await sendTo(server.alice, group, 'Forget me.')
    const reset = await server.alice.patch(`/v1/groups/${group}/reset-messages`)
    expect([reset.status, reset.body]).toEqual([200, null])
    expect((await server.alice.get(`/v1/groups/${group}/messages`)).body).toEqual([])
    expect(JSON.stringify(await messagesOf(agents.Ada))).not.toContain('Forget')
    expect(await textsOf(agents.Ada)).toContain('Between us.')
    await sendTo(server.alice, group, 'Anew.')
    expect(JSON.stringify(await messagesOf(agents.Eve))).not.toContain('Forget')
    expect(JSON.stringify(await messagesOf(agents.Ada))).toContain('Between us.')
  })

  test('a message can not be changed, and an answer to an approval goes to the agent', async () => {
    const { group } = await makeThree()
    const { messages } = await sendTo(server.alice, group, 'Hello.')
    const url = `/v1/groups/${group}/messages`
    for (const client of [server.alice, server.bob]) {
      const { status, body } = await client.patch(`${url}/${messages[0].id}`, { content: 'x' })
      expect([status, body.detail]).toEqual([405, expect.stringContaining("A message can't be changed")])
    }
    const answer = { messages: [{ type: 'approval', approve: true, approval_request_id: messages[0].id }] }
    expect((await server.alice.post(url, answer)).status).toBe(400)
  })

  test('nothing is there for another organization', async () => {
    const { group } = await makeThree()
    await sendTo(server.alice, group, 'Hello.')
    const url = `/v1/groups/${group}`
    const { bob } = server
    const all = [
      bob.post(`${url}/messages`, { input: 'x' }),
      bob.post(`${url}/messages/stream`, { input: 'x' }),
      bob.post(`${url}/messages/async`, { input: 'x' }),
      bob.post(`${url}/messages/cancel`, {}),
      bob.get(`${url}/messages`),
      bob.patch(`${url}/reset-messages`),
    ]
    expect((await Promise.all(all)).map(({ status }) => status)).toEqual(all.map(() => 404))
    expect((await bob.get(`/v1/runs/?group_id=${group}`)).body).toEqual([])
    const his = await makeAgent(bob, 'His')
    expect(
      (await sendTo(bob, await makeGroup(bob, [his], { manager_type: 'round_robin' }), 'Hi.')).messages,
    ).toHaveLength(1)
  })
})
