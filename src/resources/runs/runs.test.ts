import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type ScriptedModel, startScriptedModel } from '../../../test/models/scripted/model.ts'
import { eventsIn } from '../../../test/replies.ts'
import { type Client, useTestServer } from '../../../test/server.ts'

const server = useTestServer({ defaultModel: 'cairn/scripted' })
/** The machine may be busy. */
const PATIENT = { timeout: 30_000 }

let alice: Client
let model: ScriptedModel
beforeAll(async () => {
  alice = server.alice
  model = await startScriptedModel()
})
afterAll(() => model.close())

async function makeAgent(body: object = {}): Promise<string> {
  const reply = await alice.post('/v1/agents/', { memory_blocks: [{ label: 'human', value: 'Name: Ada' }], ...body })
  expect(reply.status).toBe(200)
  return reply.body.id
}

/** An agent whose model gives the answers of a script. */
const makeScripted = () =>
  makeAgent({
    llm_config: { model: 'scripted', model_endpoint_type: 'openai', model_endpoint: model.url, context_window: 32_000 },
  })

const send = (id: string, body: object) => alice.post(`/v1/agents/${id}/messages`, body)
const kept = async (id: string) => (await alice.get(`/v1/agents/${id}/messages`)).body.length - 1
const newestRun = async (id: string) => (await alice.get(`/v1/runs/?agent_id=${id}&limit=1`)).body[0]

describe('a run', () => {
  test('is listed with its messages, tokens, times and steps, and each step with its trace', async () => {
    const id = await makeAgent()
    await send(id, { input: '!call memory_insert {"label": "human", "new_string": "x"}' })
    const run = await newestRun(id)
    expect(run).toMatchObject({ agent_id: id, status: 'completed', stop_reason: 'end_turn', background: false })
    const of = async (path: string) => (await alice.get(`/v1/runs/${run.id}${path}`)).body
    expect(await of('')).toEqual(run)
    expect((await of('/messages')).map((message: { message_type: string }) => message.message_type)).toEqual([
      'user_message',
      'tool_call_message',
      'tool_return_message',
      'assistant_message',
    ])
    expect(await of('/usage')).toMatchObject({ prompt_tokens: expect.any(Number), total_tokens: expect.any(Number) })
    const tools = [expect.stringMatching(/^tool-/)]
    expect(await of('/metrics')).toMatchObject({ num_steps: 2, tools_used: tools, run_ns: expect.any(Number) })
    const steps = await of('/steps')
    expect(steps.map(({ stop_reason }: { stop_reason?: string }) => stop_reason)).toEqual(['end_turn', undefined])
    const step = `/v1/steps/${steps[0].id}`
    expect((await alice.get(step)).body).toEqual(steps[0])
    expect((await alice.get(`${step}/metrics`)).body).toMatchObject({ id: steps[0].id, step_ns: expect.any(Number) })
    expect((await alice.get(`${step}/messages`)).body).toMatchObject([{ message_type: 'assistant_message' }])
    const { body: trace } = await alice.get(`${step}/trace`)
    expect(JSON.stringify(trace.request_json)).toContain('memory_insert')
    const spans = await of('/trace')
    expect(spans.map(({ name }: { name: string }) => name).sort()).toEqual([
      'agent_step',
      'agent_step',
      'execute_tool',
      'invoke_agent',
      'time_to_first_token',
    ])
    expect(spans[0]).toMatchObject({ span_id: run.id, name: 'invoke_agent', duration_ns: run.total_duration_ns })
    const endOf = (span: { start_time: string; duration_ns: number }) =>
      Date.parse(span.start_time) + span.duration_ns / 1e6
    expect(endOf(spans[0])).toBe(Date.parse(run.completed_at))
    expect(Math.max(...spans.map(endOf))).toBe(endOf(spans[0]))
    expect(await of('/trace?limit=1')).toHaveLength(1)
    const executed = spans.find(({ name }: { name: string }) => name === 'execute_tool')
    expect(executed.attributes).toEqual({ tools: ['memory_insert'] })
    expect((await server.bob.get(`/v1/runs/${run.id}/trace`)).status).toBe(404)
    const rated = await alice.patch(`${step}/feedback`, { feedback: 'positive', tags: ['good'] })
    expect(rated.body).toMatchObject({ feedback: 'positive', tags: ['good'] })
    expect((await alice.get(`/v1/steps/?agent_id=${id}&feedback=positive`)).body).toEqual([rated.body])
    const cleared = await alice.patch(`${step}/feedback`, { feedback: null, tags: null })
    expect([cleared.status, cleared.body.feedback, cleared.body.tags]).toEqual([200, undefined, []])
  })

  test("has traces without the values of the agent's secrets", async () => {
    const id = await makeAgent({ secrets: { DOOR: 'open-s', SERVICE_KEY: 'open-sesame', MODE: 'on' } })
    await send(id, { input: 'My key is open-sesame, and the light is on.' })
    const [step] = (await alice.get(`/v1/steps/?agent_id=${id}`)).body
    const trace = JSON.stringify((await alice.get(`/v1/steps/${step.id}/trace`)).body)
    expect(trace).not.toContain('esame')
    expect(trace.match(/My key is \[secret\], and the light is on\./g)).toHaveLength(2)
  })

  test('is found by the time when it began', async () => {
    const id = await makeAgent()
    for (const input of ['One', 'Two', 'Three']) await send(id, { input })
    const all = (await alice.get(`/v1/runs/?agent_id=${id}&order=asc`)).body
    const [first, second, third] = all.map((run: { created_at: string }) => run.created_at)
    const found = async (period: string) => (await alice.get(`/v1/runs/?agent_id=${id}&order=asc&${period}`)).body
    expect(await found(`start_date=${second}`)).toEqual(all.slice(1))
    expect(await found(`end_date=${second}`)).toEqual(all.slice(0, 2))
    expect(await found(`start_date=${second}&end_date=${second}`)).toEqual([all[1]])
    expect(await found(`start_date=${third}&end_date=${first}`)).toEqual([])
    expect((await alice.get('/v1/runs/?start_date=yesterday')).status).toBe(422)
    expect((await server.bob.get(`/v1/runs/?start_date=${first}`)).body).toEqual([])
  })

  test('is found by its conversation, or by that it has none; filters combine', async () => {
    const id = await makeAgent()
    const { body: conversation } = await alice.post(`/v1/conversations/?agent_id=${id}`, {})
    await alice.post(`/v1/conversations/${conversation.id}/messages`, { input: 'There', streaming: false })
    await send(id, { input: 'Here' })
    const found = async (filter: string) =>
      (await alice.get(`/v1/runs/?agent_id=${id}&${filter}`)).body.map(
        (run: { conversation_id?: string }) => run.conversation_id,
      )
    expect(await found(`conversation_id=${conversation.id}`)).toEqual([conversation.id])
    expect(await found('conversation_id=default')).toEqual([undefined])
    expect(await found('statuses=completed&active=false')).toHaveLength(2)
    expect(await found('statuses=completed&active=true')).toEqual([])
  })

  test('of another organization is a 404', async () => {
    const id = await makeAgent()
    await send(id, { input: 'Hello' })
    const run = await newestRun(id)
    const [step] = (await alice.get(`/v1/runs/${run.id}/steps`)).body
    for (const path of ['', '/messages', '/usage', '/metrics', '/steps']) {
      expect((await server.bob.get(`/v1/runs/${run.id}${path}`)).status).toBe(404)
    }
    for (const path of ['', '/messages', '/metrics', '/trace']) {
      expect((await server.bob.get(`/v1/steps/${step.id}${path}`)).status).toBe(404)
    }
    expect((await server.bob.post(`/v1/runs/${run.id}/stream`, {})).status).toBe(404)
    expect((await server.bob.delete(`/v1/runs/${run.id}`)).status).toBe(404)
    expect((await server.bob.get('/v1/runs/')).body).toEqual([])
    expect((await server.bob.get('/v1/steps/')).body).toEqual([])
  })

  test('in the background returns at once, and ends', async () => {
    const id = await makeAgent()
    const { body } = await alice.post(`/v1/agents/${id}/messages/async`, { input: 'Later' })
    expect(body).toMatchObject({ agent_id: id, background: true })
    await vi.waitUntil(async () => (await alice.get(`/v1/runs/${body.id}`)).body.status === 'completed', PATIENT)
    expect(await kept(id)).toBe(2)
  })

  test('that is deleted leaves its messages', async () => {
    const id = await makeAgent()
    await send(id, { input: 'Hello' })
    const run = await newestRun(id)
    expect((await alice.delete(`/v1/runs/${run.id}`)).body).toEqual(run)
    expect([await newestRun(id), await kept(id)]).toEqual([undefined, 2])
  })
})

describe('a background stream', () => {
  test('is read again from the Last-Event-ID that the client of an event stream sends', async () => {
    const id = await makeAgent()
    const { body } = await send(id, { input: 'one', streaming: true, stream_tokens: true, background: true })
    const ids = [...(body as unknown as string).matchAll(/^id: (\d+)$/gm)].map(([, number]) => Number(number))
    expect(ids).toEqual(eventsIn(body as unknown as string).flatMap(({ seq_id }) => seq_id ?? []))
    const { id: run } = await newestRun(id)
    const again = await alice.post(`/v1/runs/${run}/stream`, {}, { 'last-event-id': String(ids.at(-2)) })
    expect(eventsIn(again.body as unknown as string).flatMap(({ seq_id }) => seq_id ?? [])).toEqual([ids.at(-1)])
  })

  test('can be read again, from the start and from any event, each event once', async () => {
    const id = await makeAgent()
    const { body } = await send(id, { input: 'one two', streaming: true, stream_tokens: true, background: true })
    const events = eventsIn(body as unknown as string)
    const { id: run } = await newestRun(id)
    expect((await alice.post(`/v1/runs/${run}/stream`)).body).toBe(body)
    for (const after of [0, 3, events.length]) {
      const reply = await alice.post(`/v1/runs/${run}/stream`, { starting_after: after, include_pings: false })
      const expected = events.filter(
        ({ seq_id, message_type }, n) => n + 1 > after && message_type !== 'ping' && (seq_id ?? after + 1) !== after,
      )
      expect(eventsIn(reply.body as unknown as string)).toEqual(expected)
    }
  })

  test('is the only one that can: other runs have none', async () => {
    const id = await makeAgent()
    await send(id, { input: 'Hello' })
    expect((await alice.post(`/v1/runs/${(await newestRun(id)).id}/stream`, {})).status).toBe(400)
  })
})

describe('cancelling', () => {
  test('ends the call of the model at once; nothing of the turn is kept, and the next message is answered', async () => {
    const id = await makeScripted()
    const never = Promise.withResolvers<void>()
    const before = model.requests.length
    model.add({ text: 'one two three four', pause: { after: 2, until: never.promise } })
    const stream = send(id, { input: 'Count', streaming: true, stream_tokens: true })
    await vi.waitUntil(() => model.requests.length > before, PATIENT)
    const { body: cancelled } = await alice.post(`/v1/agents/${id}/messages/cancel`)
    const run = await newestRun(id)
    expect(cancelled).toEqual({ [run.id]: 'cancelled' })
    const events = eventsIn((await stream).body as unknown as string)
    never.resolve()
    expect(events.at(-1)).toEqual({ message_type: 'stop_reason', stop_reason: 'cancelled' })
    expect((await newestRun(id)).status).toBe('cancelled')
    expect(await kept(id)).toBe(0)
    expect((await send(id, { input: 'Hello' })).body.stop_reason.stop_reason).toBe('end_turn')
  })

  test('ends messages that wait for their agent, whichever server they were sent to', async () => {
    const id = await makeScripted()
    const never = Promise.withResolvers<void>()
    const before = model.requests.length
    model.add({ text: 'one two three four', pause: { after: 2, until: never.promise } })
    const second = await server.another()
    const sent = [send(id, { input: 'First' })]
    await vi.waitUntil(() => model.requests.length > before, PATIENT)
    const runs = async () => (await alice.get(`/v1/runs/?agent_id=${id}&active=true`)).body
    sent.push(send(id, { input: 'Second' }), send(id, { input: 'Third', streaming: true }))
    await vi.waitUntil(async () => (await runs()).length === 3, PATIENT)
    await second.alice.post(`/v1/agents/${id}/messages/cancel`)
    const [first, waited, stream] = (await Promise.all(sent)).map(({ body }) => body)
    const reason = { message_type: 'stop_reason', stop_reason: 'cancelled' }
    expect([first.stop_reason, waited.stop_reason]).toEqual([reason, reason])
    expect(eventsIn(stream)).toContainEqual(reason)
    never.resolve()
    await second.app.close()
  })

  test('closes a request for approval: the calls are denied, and the next message is answered', async () => {
    const id = await makeAgent({ tool_rules: [{ type: 'requires_approval', tool_name: 'memory_insert' }] })
    await send(id, { input: '!call memory_insert {"label": "human", "new_string": "x"}' })
    expect((await alice.post(`/v1/agents/${id}/messages/cancel`)).status).toBe(200)
    const { body } = await alice.get(`/v1/agents/${id}/messages?limit=2`)
    expect(body.map((message: { message_type: string }) => message.message_type)).toEqual([
      'tool_return_message',
      'approval_response_message',
    ])
    expect((await send(id, { input: 'Hello' })).status).toBe(200)
  })

  test('is a 409 where nothing runs', async () => {
    const id = await makeAgent()
    expect((await alice.post(`/v1/agents/${id}/messages/cancel`)).status).toBe(409)
    expect((await server.bob.post(`/v1/agents/${id}/messages/cancel`)).status).toBe(404)
  })
})

test('a message can not be changed: a 405 says why, on both surfaces, and the message stays', async () => {
  const id = await makeAgent()
  const { messages } = (await send(id, { input: 'Hello' })).body
  for (const surface of ['/v1', '/letta/v1']) {
    const url = `${surface}/agents/${id}/messages/${messages[0].id}`
    for (const client of [alice, server.bob]) {
      const { status, body, headers } = await client.patch(url, { content: 'Changed' })
      expect([status, headers.allow]).toEqual([405, ''])
      expect(body.detail).toBe("A message can't be changed: several conversations may share it.")
    }
    expect((await alice.get(url)).status).toBe(404)
  }
  expect(JSON.stringify((await alice.get(`/v1/agents/${id}/messages`)).body)).not.toContain('Changed')
})

describe('an error of the model', () => {
  test.each([
    [401, 401, 'llm_authentication', 1],
    [429, 429, 'llm_rate_limit', 3],
    [400, 400, 'llm_bad_request', 1],
    [500, 500, 'llm_error', 3],
    [529, 503, 'llm_error', 3],
  ])('of status %i keeps its kind; nothing of the turn is kept', async (status, expected, type, calls) => {
    const id = await makeScripted()
    for (let n = 0; n < calls; n++) model.add({ error: { status, retryAfter: 0 } })
    const reply = await send(id, { input: 'Hello' })
    expect([reply.status, reply.body.error.type]).toEqual([expected, type])
    expect((await newestRun(id)).status).toBe('failed')
    expect(await kept(id)).toBe(0)
    expect((await send(id, { input: 'Hello' })).status).toBe(200)
  })

  test('is a step that failed, with the error and the request that the provider refused', async () => {
    const id = await makeScripted()
    model.add({ error: { status: 400, message: 'No such parameter.' } }, { text: 'one two three', cutAfter: 2 })
    for (const input of ['Refuse this.', 'Break off.']) {
      await send(id, { input })
      const { body: steps } = await alice.get(`/v1/runs/${(await newestRun(id)).id}/steps`)
      expect(steps).toMatchObject([
        { status: 'failed', stop_reason: 'llm_api_error', error_type: expect.stringMatching(/^llm_/) },
      ])
      const { body: trace } = await alice.get(`/v1/steps/${steps[0].id}/trace`)
      expect(JSON.stringify(trace.request_json)).toContain(input)
      expect(trace.response_json.error.message).toBe(steps[0].error_data.message)
    }
    const [, refused] = (await alice.get(`/v1/steps/?agent_id=${id}`)).body
    expect(refused).toMatchObject({ error_type: 'llm_bad_request', error_data: { detail: '400: No such parameter.' } })
    expect(await kept(id)).toBe(0)
  })

  test('ends a stream with the reason and the error, and keeps nothing', async () => {
    const id = await makeScripted()
    model.add({ text: 'one two three', cutAfter: 2 })
    const { body } = await send(id, { input: 'Hello', streaming: true, stream_tokens: true })
    const events = eventsIn(body as unknown as string)
    expect(events.slice(-2).map(({ message_type }) => message_type)).toEqual(['stop_reason', 'error_message'])
    expect(await kept(id)).toBe(0)
  })
})

describe('a message to a busy agent', () => {
  test.each([
    ['enqueue', 200, ['completed', 'completed']],
    ['reject', 409, ['completed']],
    ['interrupt', 200, ['completed', 'cancelled']],
  ])('with Cairn-When-Busy %s is a %i', async (choice, status, expected) => {
    const id = await makeScripted()
    const rest = Promise.withResolvers<void>()
    const before = model.requests.length
    model.add({ text: 'one two three', pause: { after: 2, until: rest.promise } })
    const first = send(id, { input: 'First' })
    await vi.waitUntil(() => model.requests.length > before, PATIENT)
    const second = alice.post(`/v1/agents/${id}/messages`, { input: 'Second' }, { 'cairn-when-busy': choice })
    if (choice === 'enqueue') {
      await vi.waitUntil(async () => (await alice.get(`/v1/runs/?agent_id=${id}`)).body.length === 2, PATIENT)
    } else if (choice === 'reject') expect((await second).headers['x-should-retry']).toBe('false')
    else await second
    rest.resolve()
    expect((await second).status).toBe(status)
    await first
    const { body } = await alice.get(`/v1/runs/?agent_id=${id}`)
    expect(body.map((run: { status: string }) => run.status)).toEqual(expected)
  })

  test('waits behind a hundred others at most; the next is a 409 that no SDK repeats', async () => {
    const id = await makeScripted()
    const rest = Promise.withResolvers<void>()
    const before = model.requests.length
    model.add({ text: 'one two three', pause: { after: 2, until: rest.promise } })
    const first = send(id, { input: 'First' })
    await vi.waitUntil(() => model.requests.length > before, PATIENT)
    for (let n = 0; n < 100; n++) {
      expect((await alice.post(`/v1/agents/${id}/messages/async`, { input: `${n}` })).status).toBe(200)
    }
    const refused = await send(id, { input: 'Too many' })
    expect([refused.status, refused.headers['x-should-retry']]).toEqual([409, 'false'])
    expect(await alice.post(`/v1/agents/${id}/messages/cancel`)).toMatchObject({ status: 200 })
    rest.resolve()
    await first
    expect((await send(id, { input: 'Hello' })).status).toBe(200)
  })
})
