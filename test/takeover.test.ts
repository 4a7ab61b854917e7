import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type ScriptedModel, startScriptedModel } from './models/scripted/model.ts'
import { eventsIn } from './replies.ts'
import { type Client, useTestServer } from './server.ts'

/** The machine may be busy. */
const PATIENT = { timeout: 60_000 }

const server = useTestServer()
let alice: Client
let model: ScriptedModel
beforeAll(async () => {
  alice = server.alice
  model = await startScriptedModel()
})
afterAll(() => model.close())

type Event = ReturnType<typeof eventsIn>[number]

const textOf = (events: readonly Event[], id: string) =>
  events.map((event) => (event.id === id && event.message_type === 'assistant_message' ? event.content : '')).join('')

/** Begins a background stream that stops in the middle of the model's answer, once a part of it is stored. */
async function beginStream() {
  const { body: agent } = await alice.post('/v1/agents/', {
    llm_config: { model: 'scripted', model_endpoint_type: 'openai', model_endpoint: model.url, context_window: 32_000 },
  })
  const rest = Promise.withResolvers<void>()
  model.add({ text: 'one two three four five', pause: { after: 3, until: rest.promise } }, { text: 'six seven' })
  const stream = alice.post(`/v1/agents/${agent.id}/messages`, {
    input: 'Count',
    streaming: true,
    stream_tokens: true,
    background: true,
  })
  await vi.waitUntil(async () => {
    const { rows } = await sql`select from run_chunks`.execute(server.database.kysely)
    return rows.length > 0
  }, PATIENT)
  return { agent: agent.id as string, stream, rest }
}

test('a run that another server carries on has each number once and new messages, wherever its stream is read', async () => {
  const { agent, stream, rest } = await beginStream()
  // The lease of the first server is over: the next one takes its runs.
  await sql`delete from workers`.execute(server.database.kysely)
  const second = await server.another()
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
})
