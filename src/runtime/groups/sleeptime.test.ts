import { sql } from 'kysely'
import { describe, expect, test, vi } from 'vitest'
import { startScriptedModel } from '../../../test/models/scripted/model.ts'
import { eventsIn } from '../../../test/replies.ts'
import { type Client, useTestServer } from '../../../test/server.ts'
import { callOf } from '../../../test/tool-calls.ts'

const PATIENT = { timeout: 60_000 }
const server = useTestServer({ defaultModel: 'cairn/scripted' })

interface Pair {
  agent: string
  partner: string
  group: string
}

/** An agent whose memory another one looks after, after each turn unless `frequency` says otherwise. */
async function makePair(frequency: number | null = null, body: object = {}): Promise<Pair> {
  const memory_blocks = [{ label: 'human', value: '' }]
  const made = await server.alice.post('/v1/agents/', { name: 'Ada', enable_sleeptime: true, memory_blocks, ...body })
  expect(made.status, JSON.stringify(made.body)).toBe(200)
  const { id: agent, managed_group } = made.body
  const manager_config = { manager_type: 'sleeptime', sleeptime_agent_frequency: frequency }
  await server.alice.patch(`/v1/groups/${managed_group.id}`, { manager_config })
  return { agent, partner: managed_group.agent_ids[0], group: managed_group.id }
}

const send = async (agent: string, input: string, body: object = {}, client: Client = server.alice) => {
  const reply = await client.post(`/v1/agents/${agent}/messages`, { input, ...body })
  expect(reply.status, JSON.stringify(reply.body)).toBe(200)
  return reply.body
}

interface Run {
  id: string
  status: string
  metadata: object
}

const runsOf = async (agent: string): Promise<Run[]> => (await server.alice.get(`/v1/runs/?agent_id=${agent}`)).body

/** The runs of an agent, oldest first, once there are so many and all are over. */
async function endedRuns(agent: string, count: number): Promise<Run[]> {
  await vi.waitUntil(async () => {
    const runs = await runsOf(agent)
    return runs.length >= count && runs.every(({ status }) => !['created', 'running'].includes(status))
  }, PATIENT)
  const runs = await runsOf(agent)
  expect(runs).toHaveLength(count)
  return runs.reverse()
}

/** The transcripts that an agent has read, oldest first. */
const transcripts = async (agent: string): Promise<string[]> =>
  (await server.alice.get(`/v1/agents/${agent}/messages?order=asc`)).body.flatMap(
    ({ message_type, content }: { message_type: string; content: string }) =>
      message_type === 'user_message' ? content : [],
  )

const groupOf = async ({ group }: Pair) => (await server.alice.get(`/v1/groups/${group}`)).body
const blockValue = async (agent: string, label: string) =>
  (await server.alice.get(`/v1/agents/${agent}/core-memory/blocks/${label}`)).body.value

describe('an agent that looks after the memory of another', () => {
  test('thinks after the first turn and then after each second one, and reads every turn once', async () => {
    const pair = await makePair(2)
    const told: (number | undefined)[] = []
    for (const text of ['One.', 'Two.', 'Three.']) told.push((await send(pair.agent, text)).usage.run_ids?.length)
    expect(told).toEqual([1, undefined, 1])
    const runs = await endedRuns(pair.partner, 2)
    expect(runs[0]).toMatchObject({
      status: 'completed',
      stop_reason: 'end_turn',
      background: false,
      metadata: { run_type: 'sleeptime_agent_send_message_async', agent_id: pair.partner },
    })
    const [first, second] = await transcripts(pair.partner)
    expect(first!.match(/User: .*/g)).toEqual(['User: One.'])
    expect(second!.match(/User: .*/g)).toEqual(['User: Two.', 'User: Three.'])
    const last = (await server.alice.get(`/v1/agents/${pair.agent}/messages?limit=1&use_assistant_message=false`))
      .body[0].id
    expect(await groupOf(pair)).toMatchObject({ turns_counter: 0, last_processed_message_id: last })
  })

  test('thinks after each turn where its group has no frequency, and never where that is 0', async () => {
    const [each, never] = [await makePair(null), await makePair(0)]
    for (const { agent } of [each, never]) for (const text of ['One.', 'Two.']) await send(agent, text)
    await endedRuns(each.partner, 2)
    expect(await runsOf(never.partner)).toEqual([])
  })

  test('changes the memory that the other reads in its next turn', async () => {
    const pair = await makePair()
    await send(pair.agent, callOf('memory_insert', { label: 'human', new_string: 'Likes plums.' }))
    await endedRuns(pair.partner, 1)
    expect(await blockValue(pair.agent, 'human')).toContain('Likes plums.')
    const { messages } = await send(pair.agent, '!prompt')
    expect(JSON.stringify(messages)).toContain('Likes plums.')
  })

  test('is named in the usage of a stream', async () => {
    const pair = await makePair()
    const { body } = await server.alice.post(`/v1/agents/${pair.agent}/messages`, { input: 'Hello.', streaming: true })
    const usage = eventsIn(body as unknown as string).find(({ message_type }) => message_type === 'usage_statistics')
    expect((usage as unknown as { run_ids: string[] }).run_ids).toEqual([(await endedRuns(pair.partner, 1))[0]!.id])
  })

  test('reads a turn that waited for an approval once it is over', async () => {
    const tool_rules = [{ type: 'requires_approval', tool_name: 'conversation_search' }]
    const pair = await makePair(null, { tool_rules, tools: ['conversation_search'] })
    const { messages, stop_reason, usage } = await send(pair.agent, callOf('conversation_search', { query: 'plums' }))
    expect([stop_reason.stop_reason, usage.run_ids]).toEqual(['requires_approval', undefined])
    const approvals = [{ tool_call_id: messages.at(-1).tool_call.tool_call_id, approve: true, type: 'approval' }]
    const answer = { messages: [{ type: 'approval', approvals }] }
    const repeated = async () => (await server.alice.post(`/v1/agents/${pair.agent}/messages`, answer)).status
    expect([await repeated(), await repeated()]).toEqual([200, 200])
    await endedRuns(pair.partner, 1)
    expect((await transcripts(pair.partner))[0]).toMatch(
      /User: !call conversation_search[\s\S]*Return of conversation_sea/,
    )
  })

  test('thinks once for a turn that another server has ended', async () => {
    const pair = await makePair()
    await sql`update threads set run_id = 'run-gone' where id = ${pair.agent}`.execute(server.database.kysely)
    const { body: run } = await server.alice.post(`/v1/agents/${pair.agent}/messages/async`, {
      messages: [{ role: 'user', content: 'Hello.' }],
    })
    // The server before has made a claim, and ended.
    await sql`update threads set run_id = ${run.id}, waiting = 0 where id = ${pair.agent}`.execute(
      server.database.kysely,
    )
    await sql`update runs set owner = 'gone', status = 'running', fence = 1, attempts = 1 where id = ${run.id}`.execute(
      server.database.kysely,
    )
    const others = [await server.another(), await server.another()]
    await endedRuns(pair.agent, 1)
    await endedRuns(pair.partner, 1)
    for (const { app } of others) await app.close()
  })

  test('fails without harm for the other, which is answered', async () => {
    const failing = await startScriptedModel({ answers: () => ({ error: { status: 400 } }) })
    const pair = await makePair()
    const llm_config = {
      model: 'scripted',
      model_endpoint_type: 'openai',
      model_endpoint: failing.url,
      context_window: 9_000,
    }
    await server.alice.patch(`/v1/agents/${pair.partner}`, { llm_config })
    expect(await send(pair.agent, 'Hello.')).toMatchObject({
      messages: [{ message_type: 'assistant_message' }],
      stop_reason: { stop_reason: 'tool_rule' },
    })
    expect((await endedRuns(pair.partner, 1))[0]!.status).toBe('failed')
    expect((await send(pair.agent, 'Still there?')).usage.run_ids).toHaveLength(1)
    await endedRuns(pair.partner, 2)
    await failing.close()
  })

  test('does not wake the one that looks after its own memory: both end', async () => {
    const pair = await makePair()
    const manager_config = { manager_type: 'sleeptime', manager_agent_id: pair.partner }
    await server.alice.post('/v1/groups/', { agent_ids: [pair.agent], description: 'Back', manager_config })
    await send(pair.agent, 'Hello.')
    await endedRuns(pair.partner, 1)
    expect(await runsOf(pair.agent)).toHaveLength(1)
  })
})

test('an agent with a partner and its base tools answers once', async () => {
  const { body } = await server.alice.post('/v1/agents/', { name: 'Day', enable_sleeptime: true })
  const { messages } = (await server.alice.post(`/v1/agents/${body.id}/messages`, { input: 'Hello.' })).body
  expect(messages.map(({ message_type }: { message_type: string }) => message_type)).toEqual(['assistant_message'])
  const bare = await server.alice.post('/v1/agents/', { enable_sleeptime: true, include_base_tool_rules: false })
  expect(bare.body.tool_rules ?? []).toEqual([])
})

test('turns that overlap are read one behind the other, each once', async () => {
  const pair = await makePair()
  const conversations = await Promise.all(
    Array.from({ length: 6 }, () => server.alice.post(`/v1/conversations/?agent_id=${pair.agent}`, {})),
  )
  await Promise.all(
    conversations.map(({ body: { id } }, n) =>
      server.alice.post(`/v1/conversations/${id}/messages`, { input: `Turn ${n}.`, streaming: false }),
    ),
  )
  await endedRuns(pair.partner, 6)
  const read = (await transcripts(pair.partner)).flatMap((text) => text.match(/User: Turn \d/g) ?? [])
  expect(read.toSorted()).toEqual(Array.from({ length: 6 }, (_, n) => `User: Turn ${n}`))
})

test('what two members append to a shared block at once is all there', async () => {
  const pair = await makePair()
  const [human] = (await server.alice.get(`/v1/agents/${pair.agent}/core-memory/blocks`)).body
  const second = await server.alice.post('/v1/agents/', { agent_type: 'sleeptime_agent', block_ids: [human.id] })
  await server.alice.patch(`/v1/groups/${pair.group}`, { agent_ids: [pair.partner, second.body.id] })
  const calls = Array.from({ length: 5 }, (_, n) =>
    callOf('memory_insert', { label: 'human', new_string: `Line ${n}.` }),
  )
  const { usage } = await send(pair.agent, calls.join(' '), { override_model: 'cairn/scripted' })
  expect(usage.run_ids).toHaveLength(2)
  for (const member of [pair.partner, second.body.id]) await endedRuns(member, 1)
  const value: string = await blockValue(pair.agent, 'human')
  for (let n = 0; n < 5; n++) expect(value.match(new RegExp(`Line ${n}\\.`, 'g'))).toHaveLength(2)
})

test('agents of another organization neither read nor think', async () => {
  const pair = await makePair()
  const { usage } = await send(pair.agent, 'Hello.')
  await endedRuns(pair.partner, 1)
  expect((await server.bob.get(`/v1/runs/${usage.run_ids[0]}`)).status).toBe(404)
  expect((await server.bob.get(`/v1/runs/?agent_id=${pair.partner}`)).body).toEqual([])
})
