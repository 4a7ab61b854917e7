import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest'
import { findBuiltin } from '../src/runtime/tools/builtin.ts'
import type { FindTool } from '../src/runtime/tools/tool.ts'
import { type ScriptedModel, startScriptedModel } from './models/scripted/model.ts'
import { eventsIn } from './replies.ts'
import { type Client, useTestServer } from './server.ts'

/** The machine may be busy. */
const PATIENT = { timeout: 60_000 }

/** How often the tool of these names ran, by agent and name; `rest` is awaited by each run. */
const runs: Record<string, number> = {}
let rest = Promise.withResolvers<void>()

const findTool: FindTool = (tool) => {
  if (tool.name !== 'once' && tool.name !== 'repeatable') return findBuiltin(tool)
  const { name } = tool
  return {
    outside: name,
    async run(_args, { agent }) {
      const key = `${agent.row.id} ${name}`
      runs[key] = (runs[key] ?? 0) + 1
      if (runs[key] === 1) await rest.promise
      return `This was run ${runs[key]}.`
    },
  }
}

const server = useTestServer({ defaultModel: 'cairn/scripted' }, { findTool })
let alice: Client
let model: ScriptedModel
beforeAll(async () => {
  alice = server.alice
  model = await startScriptedModel()
})
afterAll(() => model.close())

/** Starts a second server, for which the first one is gone: it takes over the runs. */
async function replaceServer() {
  await sql`update runs set owner = 'gone' where status = 'running'`.execute(server.database.kysely)
  return server.another()
}

type Event = ReturnType<typeof eventsIn>[number]

const textOf = (events: readonly Event[], id: string) =>
  events.map((event) => (event.id === id && event.message_type === 'assistant_message' ? event.content : '')).join('')

/** An agent whose model is the scripted one. */
const makeScripted = async (body: object = {}): Promise<string> => {
  const config = { model: 'scripted', model_endpoint_type: 'openai', model_endpoint: model.url, context_window: 32_000 }
  return (await alice.post('/v1/agents/', { llm_config: config, ...body })).body.id
}

/** Begins a background stream that stops in the middle of the model's answer, once a part of it is stored. */
async function beginStream() {
  const agent = await makeScripted()
  const rest = Promise.withResolvers<void>()
  model.add({ text: 'one two three four five', pause: { after: 3, until: rest.promise } }, { text: 'six seven' })
  const stream = alice.post(`/v1/agents/${agent}/messages`, {
    input: 'Count',
    streaming: true,
    stream_tokens: true,
    background: true,
  })
  await vi.waitUntil(async () => {
    const { rows } = await sql`select from run_chunks`.execute(server.database.kysely)
    return rows.length > 0
  }, PATIENT)
  return { agent, stream, rest }
}

test('a run that another server carries on has each number once and new messages, wherever its stream is read', async () => {
  const { agent, stream, rest } = await beginStream()
  const second = await replaceServer()
  const [run] = (await second.alice.get(`/v1/runs/?agent_id=${agent}`)).body
  await vi.waitUntil(async () => (await second.alice.get(`/v1/runs/${run.id}`)).body.status === 'completed', PATIENT)
  rest.resolve()

  const whole = eventsIn((await stream).body as unknown as string)
  const numbers = whole.flatMap(({ seq_id }) => (seq_id === undefined ? [] : [seq_id as number]))
  expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b))
  const messages = (await alice.get(`/v1/agents/${agent}/messages?order=asc`)).body
  const { id } = messages.at(-1)
  expect(messages.map(({ message_type }: Event) => message_type)).toEqual([
    'system_message',
    'user_message',
    'assistant_message',
  ])
  expect(textOf(whole, id)).toBe('six seven')
  expect(whole.some((event) => event.message_type === 'assistant_message' && event.id !== id)).toBe(true)
  expect(whole.slice(-2).map(({ message_type }) => message_type)).toEqual(['stop_reason', 'usage_statistics'])

  // Of the answer that broke off, a part was stored.
  const isLasting = ({ id: of, seq_id }: Event) => of === id || seq_id === undefined
  for (const reader of [alice, second.alice]) {
    for (const after of [0, numbers[1]!, numbers.at(-2)!]) {
      const { body } = await reader.post(`/v1/runs/${run.id}/stream`, { starting_after: after, include_pings: false })
      const events = eventsIn(body as unknown as string)
      expect(whole).toEqual(expect.arrayContaining(events))
      expect(events.filter(isLasting)).toEqual(
        whole.filter((event) => isLasting(event) && Number(event.seq_id ?? after + 1) > after),
      )
    }
  }
  await second.app.close()
})

test('a call that failed at the first server counts as no step of the run at the second', async () => {
  const agent = await makeScripted()
  const rest = Promise.withResolvers<void>()
  const before = model.requests.length
  model.add(
    { error: { status: 400, message: "This model's maximum context length is 9 tokens." } },
    { calls: [{ name: 'conversation_search', arguments: { query: 'tea' } }] },
    { text: 'Never read.', after: rest.promise },
    { text: 'Done.' },
  )
  const sent = alice.post(`/v1/agents/${agent}/messages`, { input: 'Search.' })
  await vi.waitUntil(() => model.requests.length === before + 3, PATIENT)
  const second = await replaceServer()
  const [run] = (await second.alice.get(`/v1/runs/?agent_id=${agent}`)).body
  await vi.waitUntil(async () => (await second.alice.get(`/v1/runs/${run.id}`)).body.status === 'completed', PATIENT)
  rest.resolve()
  const { body } = await sent
  expect(body.usage).toMatchObject({ step_count: 2, prompt_tokens: 20, completion_tokens: 10 })
  expect((await alice.get(`/v1/runs/${run.id}/metrics`)).body.num_steps).toBe(2)
  const { body: steps } = await alice.get(`/v1/runs/${run.id}/steps?order=asc`)
  expect(steps.map(({ status }: { status: string }) => status)).toEqual(['failed', 'success', 'success'])
  await second.app.close()
})

test('a run that fails at another server gives its caller the error that it gives at its own', async () => {
  const agent = await makeScripted()
  const rest = Promise.withResolvers<void>()
  const asked = model.requests.length
  const refusal = { error: { status: 400, message: 'No such parameter.' } }
  model.add({ text: 'one two', pause: { after: 1, until: rest.promise } }, refusal, refusal)
  const send = () => alice.post(`/v1/agents/${agent}/messages`, { input: 'Hello' })
  const reply = send()
  await vi.waitUntil(() => model.requests.length > asked, PATIENT)
  const second = await replaceServer()
  await vi.waitUntil(async () => (await alice.get('/v1/runs/?active=true')).body.length === 0, PATIENT)
  rest.resolve()
  const { status, body } = await reply
  const own = await send()
  expect(own.status).toBe(400)
  expect([status, { ...body, request_id: '' }]).toEqual([own.status, { ...own.body, request_id: '' }])
  const [run] = (await alice.get(`/v1/runs/?agent_id=${agent}&limit=1`)).body
  expect(run.metadata.error).toEqual({ type: 'llm_bad_request', message: own.body.error.message })
  await second.app.close()
})

test.skipIf(!inject('template').server)('a run whose connection to the database breaks goes on', async () => {
  const agent = await makeScripted()
  const { kysely } = server.database
  await sql`create sequence breaks`.execute(kysely)
  await sql`create function break_once() returns trigger language plpgsql as $$ begin
    if nextval('breaks') = 1 then perform pg_terminate_backend(pg_backend_pid()); end if;
    return null; end $$`.execute(kysely)
  await sql`create trigger breaks after insert on steps execute function break_once()`.execute(kysely)
  model.add({ text: 'Lost.' }, { text: 'Here I am.' })
  const { status, body } = await alice.post(`/v1/agents/${agent}/messages`, { input: 'Hello' })
  await sql`drop function break_once() cascade`.execute(kysely)
  expect([status, body.messages.map(({ content }: Event) => content)]).toEqual([200, ['Here I am.']])
  expect((await alice.get(`/v1/agents/${agent}/messages`)).body).toHaveLength(3)
})

/** An agent with two tools whose effects are outside of the database. */
async function makeCounting(body: object = {}): Promise<string> {
  const source = (name: string) => `def ${name}() -> str:\n    "Counts."\n    return ''\n`
  const tools = ['once', 'repeatable'].map((name) => alice.call('PUT', '/v1/tools/', { source_code: source(name) }))
  const ids = (await Promise.all(tools)).map((reply) => reply.body.id)
  return (await alice.post('/v1/agents/', { tool_ids: ids, ...body })).body.id
}

/** The results of the calls of an agent, oldest first. */
const returnsOf = async (agent: string): Promise<string[]> =>
  (await alice.get(`/v1/agents/${agent}/messages?order=asc`)).body.flatMap(
    ({ tool_returns = [] }: { tool_returns?: { tool_return: string }[] }) =>
      tool_returns.map(({ tool_return }) => tool_return),
  )

type Messages = Record<string, string>[]

const messagesOf = async (agent: string): Promise<Messages> =>
  (await alice.get(`/v1/agents/${agent}/messages?order=asc&limit=100`)).body

/** The newest messages of an agent in their order: what the caller said, the other kinds. */
const orderOf = async (agent: string, count: number) =>
  (await messagesOf(agent))
    .slice(-count)
    .map(({ message_type, content }) => (message_type === 'user_message' ? content : message_type))

/** Sends messages to an agent whose server ends once its model has been asked; its second answers. */
async function interruptAnswer(agent: string, body: object) {
  const rest = Promise.withResolvers<void>()
  const asked = model.requests.length
  model.add({ text: 'Lost.', after: rest.promise }, { text: 'Here I am.' })
  const reply = alice.post(`/v1/agents/${agent}/messages`, body)
  await vi.waitUntil(() => model.requests.length > asked, PATIENT)
  const second = await replaceServer()
  await vi.waitUntil(async () => (await alice.get('/v1/runs/?active=true')).body.length === 0, PATIENT)
  rest.resolve()
  expect((await reply).status).toBe(200)
  await second.app.close()
  return model.requests.at(-1)!.body.messages.at(-1).content
}

describe('a message whose server ends before it is stored is answered by the next, in its place', () => {
  const rules = [{ type: 'requires_approval', tool_name: 'conversation_search' }]

  /** An agent that waits for the approval of a call. Returns its id and the call's. */
  async function makeWaiting(): Promise<[string, string]> {
    const agent = await makeScripted({ tools: ['conversation_search'], tool_rules: rules })
    model.add({ calls: [{ name: 'conversation_search', arguments: { query: 'tea' } }] })
    const { body } = await alice.post(`/v1/agents/${agent}/messages`, { input: 'Search.' })
    return [agent, body.messages.at(-1).tool_call.tool_call_id]
  }

  test('behind an answer to an approval', async () => {
    const [agent, tool_call_id] = await makeWaiting()
    const approvals = [{ type: 'approval', tool_call_id, approve: true }]
    const messages = [
      { type: 'approval', approvals },
      { role: 'user', content: 'And coffee?' },
    ]
    expect(await interruptAnswer(agent, { messages })).toBe('And coffee?')
    expect(await orderOf(agent, 4)).toEqual([
      'approval_response_message',
      'tool_return_message',
      'And coffee?',
      'assistant_message',
    ])
  })

  test('behind the denials of what it passed over', async () => {
    const [agent] = await makeWaiting()
    expect(await interruptAnswer(agent, { input: 'Leave it.', on_pending: 'deny' })).toBe('Leave it.')
    expect(await orderOf(agent, 3)).toEqual(['tool_return_message', 'Leave it.', 'assistant_message'])
  })

  test.each([
    ['another server', interruptAnswer],
    [
      'its own',
      async (agent: string, body: object) => {
        await alice.post(`/v1/agents/${agent}/messages`, body)
        return 'Hello'
      },
    ],
  ])('behind what its history lacked: with %s', async (_, send) => {
    const agent = await makeScripted({ tools: ['conversation_search'] })
    model.add({ calls: [{ name: 'conversation_search', arguments: { query: 'tea' } }] })
    await alice.post(`/v1/agents/${agent}/messages`, { input: 'Search.' })
    await sql`delete from messages where agent_id = ${agent} and role = 'tool'`.execute(server.database.kysely)
    expect(await send(agent, { input: 'Hello' })).toBe('Hello')
    expect(await orderOf(agent, 3)).toEqual(['tool_return_message', 'Hello', 'assistant_message'])
  })
})

describe('a call of a tool with effects outside of the database', () => {
  test.each([
    ['once', 1, expect.stringContaining('its outcome is unknown')],
    ['repeatable', 2, 'This was run 2.'],
  ])('that is interrupted, of kind %s: runs %i times', async (name, times, result) => {
    rest = Promise.withResolvers()
    const agent = await makeCounting()
    const reply = alice.post(`/v1/agents/${agent}/messages`, {
      input: `!call ${name} !call memory_insert {"label": "x"}`,
    })
    await vi.waitUntil(() => runs[`${agent} ${name}`] === 1, PATIENT)
    const second = await replaceServer()
    await vi.waitUntil(async () => (await returnsOf(agent)).length > 0, PATIENT)
    rest.resolve()
    const { status, body } = await reply
    expect([status, body.stop_reason.stop_reason]).toEqual([200, 'end_turn'])
    expect(runs[`${agent} ${name}`]).toBe(times)
    expect((await returnsOf(agent))[0]).toEqual(result)
    expect(await returnsOf(agent)).toHaveLength(2)
    expect((await messagesOf(agent)).map(({ message_type }) => message_type)).toEqual([
      'system_message',
      'user_message',
      'tool_call_message',
      'tool_return_message',
      'assistant_message',
    ])
    const steps = (await alice.get(`/v1/steps/?agent_id=${agent}`)).body
    expect(steps.map(({ status }: { status: string }) => status)).toEqual(['success', 'success'])
    expect(body.usage).toMatchObject({ step_count: 2 })
    await second.app.close()
  })

  test('that is cancelled while it runs is in the history, and the next message is answered', async () => {
    rest = Promise.withResolvers()
    const agent = await makeCounting()
    const reply = alice.post(`/v1/agents/${agent}/messages`, { input: '!call once !call repeatable' })
    await vi.waitUntil(() => runs[`${agent} once`] === 1, PATIENT)
    await alice.post(`/v1/agents/${agent}/messages/cancel`)
    rest.resolve()
    expect((await reply).body.stop_reason.stop_reason).toBe('cancelled')
    expect(await returnsOf(agent)).toEqual(['This was run 1.', expect.stringContaining('was not carried out')])
    expect(runs[`${agent} repeatable`]).toBeUndefined()
    expect((await alice.post(`/v1/agents/${agent}/messages`, { input: 'Hello' })).status).toBe(200)
  })

  test('that a user approves runs once, although its server ends meanwhile', async () => {
    rest = Promise.withResolvers()
    const agent = await makeCounting({ tool_rules: [{ type: 'requires_approval', tool_name: 'once' }] })
    const { body } = await alice.post(`/v1/agents/${agent}/messages`, { input: '!call once' })
    const { tool_call_id } = body.messages.at(-1).tool_call
    const answer = { type: 'approval', approvals: [{ type: 'approval', tool_call_id, approve: true }] }
    const reply = alice.post(`/v1/agents/${agent}/messages`, { messages: [answer] })
    await vi.waitUntil(() => runs[`${agent} once`] === 1, PATIENT)
    const second = await replaceServer()
    await vi.waitUntil(async () => (await returnsOf(agent)).length > 0, PATIENT)
    rest.resolve()
    expect((await reply).body.stop_reason.stop_reason).toBe('end_turn')
    expect([runs[`${agent} once`], await returnsOf(agent)]).toEqual([1, [expect.stringContaining('unknown')]])
    await second.app.close()
  })
})
