import type { AddressInfo } from 'node:net'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type ScriptedModel, startScriptedModel } from './models/scripted/model.ts'
import { eventsIn } from './replies.ts'
import { type Client, useTestServer } from './server.ts'

/** The machine may be busy. */
const PATIENT = { timeout: 60_000 }

const server = useTestServer({}, { supervision: { leaseMs: 60_000, renewMs: 100 } })
let alice: Client
let model: ScriptedModel
/** The addresses of two servers on one database. */
const urls: string[] = []
beforeAll(async () => {
  alice = server.alice
  model = await startScriptedModel()
  for (const { app } of [server, await server.another()]) {
    await app.listen({ port: 0, host: '127.0.0.1' })
    urls.push(`http://127.0.0.1:${(app.server.address() as AddressInfo).port}`)
  }
})
afterAll(() => model.close())

type Event = ReturnType<typeof eventsIn>[number]

async function makeAgent(): Promise<string> {
  const { body } = await alice.post('/v1/agents/', {
    llm_config: { model: 'scripted', model_endpoint_type: 'openai', model_endpoint: model.url, context_window: 32_000 },
  })
  return body.id
}

const post = (url: string, body: object, signal?: AbortSignal) =>
  fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${alice.key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    ...(signal && { signal }),
  })

/** Reads a stream up to its first event with a number, and cuts the connection. Returns the events, and whether it has ended. */
async function readOne(url: string, body: object) {
  const cut = new AbortController()
  const response = await post(url, body, cut.signal)
  let text = ''
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    text += chunk
    const events = eventsIn(text.slice(0, text.lastIndexOf('\n\n') + 2))
    const first = events.findIndex(({ seq_id }) => seq_id !== undefined)
    if (first === -1) continue
    cut.abort()
    return { events: events.slice(0, first + 1), ended: false }
  }
  return { events: eventsIn(text), ended: text.includes('[DONE]') }
}

const BACKGROUND = { streaming: true, stream_tokens: true, background: true }

const textOf = (events: readonly Event[]) =>
  events.map(({ message_type, content }) => (message_type === 'assistant_message' ? content : '')).join('')

describe('a background stream', () => {
  test('that is cut after every event and resumed at two servers in turn has each event once', async () => {
    const agent = await makeAgent()
    const answer = 'The stream of this answer is cut after every single event.'
    model.add({ text: answer, pace: 5 })
    const all: Event[] = (await readOne(`${urls[0]}/v1/agents/${agent}/messages`, { input: 'Go', ...BACKGROUND }))
      .events
    const [run] = (await alice.get(`/v1/runs/?agent_id=${agent}`)).body
    for (let n = 1, ended = false; !ended; n++) {
      const body = { starting_after: all.findLast(({ seq_id }) => seq_id !== undefined)!.seq_id, include_pings: false }
      const part = await readOne(`${urls[n % 2]}/v1/runs/${run.id}/stream`, body)
      all.push(...part.events)
      ended = part.ended
    }
    const numbers = all.flatMap(({ seq_id }) => (seq_id === undefined ? [] : [Number(seq_id)]))
    expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b))
    expect(textOf(all)).toBe(answer)
    expect(all.slice(-2).map(({ message_type }) => message_type)).toEqual(['stop_reason', 'usage_statistics'])
  })

  test('whose reader does not read holds up nobody, and is whole when it reads again', async () => {
    const agent = await makeAgent()
    const answer = 'A long answer. '.repeat(4_000)
    model.add({ text: answer })
    const { hostname, port } = new URL(urls[0]!)
    const socket = connect(Number(port), hostname)
    const body = JSON.stringify({ input: 'Go', ...BACKGROUND, include_pings: false })
    socket.write(
      `POST /v1/agents/${agent}/messages HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${alice.key}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
    )
    await vi.waitUntil(
      async () => (await alice.get(`/v1/runs/?agent_id=${agent}`)).body[0]?.status === 'completed',
      PATIENT,
    )
    let text = ''
    for await (const chunk of socket) text += chunk
    const events = eventsIn(text.replaceAll(/\r\n[0-9a-f]+\r\n/g, ''))
    expect(textOf(events)).toBe(answer)
  })
})

test('fifty messages to one agent at once, at two servers, get fifty answers by one call of the model at a time', async () => {
  const agent = await makeAgent()
  let calls = 0
  let most = 0
  const answer = async () => {
    most = Math.max(most, ++calls)
    await new Promise(setImmediate)
    calls--
    return { text: 'Answer.' }
  }
  model.add(...Array(50).fill(answer))
  const replies = await Promise.all(
    Array.from({ length: 50 }, (_, n) => post(`${urls[n % 2]}/v1/agents/${agent}/messages`, { input: `Message ${n}` })),
  )
  expect(replies.map(({ status }) => status)).toEqual(Array(50).fill(200))
  const bodies = await Promise.all(replies.map((reply) => reply.json() as Promise<{ messages: Event[] }>))
  expect(bodies.map(({ messages }) => messages[0]!.content)).toEqual(Array(50).fill('Answer.'))
  expect(most).toBe(1)
})

test('agents call one provider at once, however many they are', async () => {
  const agents = await Promise.all(Array.from({ length: 24 }, makeAgent))
  const rest = Promise.withResolvers<void>()
  const before = model.requests.length
  model.add(...agents.map(() => ({ text: 'Answer.', after: rest.promise })))
  const replies = agents.map((agent) => post(`${urls[0]}/v1/agents/${agent}/messages`, { input: 'Go' }))
  await vi.waitUntil(() => model.requests.length === before + agents.length, PATIENT)
  rest.resolve()
  expect((await Promise.all(replies)).map(({ status }) => status)).toEqual(agents.map(() => 200))
})
