import { expect, test } from 'vitest'
import { olderSdk, refused } from './client.ts'

const older = olderSdk({ defaultModel: 'cairn/scripted' })

const say = (content: string) => [{ role: 'user' as const, content }]
const insert = (text: string) => `!call memory_insert ${JSON.stringify({ label: 'human', new_string: text })}`
const kinds = (messages: { messageType?: string }[]) => messages.map(({ messageType }) => messageType)

const makeAgent = async () =>
  (await older.alice.agents.create({ memoryBlocks: [{ label: 'human', value: 'Ada.' }] })).id

async function collect<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = []
  for await (const item of stream) items.push(item)
  return items
}

test('a message is answered, streamed and listed', async () => {
  const { messages } = older.alice.agents
  const id = await makeAgent()
  const response = await messages.create(id, { messages: say(insert('Tea.')) })
  expect(kinds(response.messages)).toEqual(['tool_call_message', 'tool_return_message', 'assistant_message'])
  const events = await collect(await messages.createStream(id, { messages: say('one two'), streamTokens: true }))
  expect(kinds(events).slice(-2)).toEqual(['stop_reason', 'usage_statistics'])
  expect(kinds(await messages.list(id)).slice(-3)).toEqual(['assistant_message', 'user_message', 'assistant_message'])
})

test('a run in the background ends, and its parts are read', async () => {
  const { agents, runs } = older.alice
  const id = await makeAgent()
  const { id: run } = await agents.messages.createAsync(id, { messages: say(insert('Tea.')) })
  await expect.poll(async () => (await runs.retrieve(run!)).status, { timeout: 30_000 }).toBe('completed')
  expect(await runs.listActive({ agentId: id })).toEqual([])
  expect((await runs.list({ agentId: id })).map((one) => one.id)).toEqual([run])
  expect(kinds(await runs.messages.list(run!))[0]).toBe('user_message')
  expect((await runs.usage.retrieve(run!)).totalTokens).toBeGreaterThan(0)
  expect(await runs.retrieveMetricsForRun(run!)).toMatchObject({ id: run, numSteps: 2 })
  expect(await runs.steps.list(run!)).toHaveLength(2)
  await refused(older.bob.runs.delete(run!), 404)
  expect(await runs.delete(run!)).toMatchObject({ id: run, status: 'completed' })
  await refused(runs.retrieve(run!), 404)
})

test('a stream in the background is read again', async () => {
  const { agents, runs } = older.alice
  const id = await makeAgent()
  const request = { messages: say('one two'), streamTokens: true, background: true }
  const events = await collect(await agents.messages.createStream(id, request))
  const [run] = await runs.list({ agentId: id })
  expect(kinds(await collect(await runs.stream(run!.id!, { startingAfter: 0 })))).toEqual(kinds(events))
})

test('a step is rated, and its times, messages and trace are read', async () => {
  const { agents, steps, telemetry } = older.alice
  const id = await makeAgent()
  await agents.messages.create(id, { messages: say('Hello') })
  const [step] = await steps.list({ agentId: id })
  expect(await steps.retrieve(step!.id)).toEqual(step)
  expect(await steps.metrics.retrieve(step!.id)).toMatchObject({ id: step!.id, agentId: id })
  expect(kinds((await steps.messages.list(step!.id)) as { messageType?: string }[])).toEqual([
    'user_message',
    'assistant_message',
  ])
  const trace = await steps.trace.retrieve(step!.id)
  expect(trace?.stepId).toBe(step!.id)
  expect(await telemetry.retrieveProviderTrace(step!.id)).toEqual(trace)
  expect(await steps.feedback.create(step!.id, { feedback: 'positive' })).toMatchObject({ feedback: 'positive' })
})

test('what waits for an approval is cancelled; without anything to cancel that is a conflict', async () => {
  const { messages, tools } = older.alice.agents
  const id = await makeAgent()
  await refused(messages.cancel(id), 409)
  await tools.modifyApproval(id, 'memory_insert', { requiresApproval: true })
  const { stopReason } = await messages.create(id, { messages: say(insert('Tea.')) })
  expect(stopReason.stopReason).toBe('requires_approval')
  expect(Object.values(await messages.cancel(id))).toEqual(['cancelled'])
})

test('the context of an agent is shown, and its next request', async () => {
  const { agents } = older.alice
  const id = await makeAgent()
  await agents.messages.create(id, { messages: say('Hello') })
  expect(await agents.context.retrieve(id)).toMatchObject({ numMessages: 3, contextWindowSizeMax: 128_000 })
  expect(await agents.messages.preview(id, { messages: say('Hello again') })).toMatchObject({ model: 'scripted' })
  await agents.messages.summarize(id, { maxMessageLength: 10 })
  expect((await agents.messages.reset(id)).messageIds).toHaveLength(1)
  await refused(older.bob.agents.context.retrieve(id), 404)
})

test('messages are searched by their words', async () => {
  const { messages } = older.alice.agents
  const id = await makeAgent()
  await messages.create(id, { messages: say('The marmalade is finished.') })
  const found = await messages.search({ query: 'marmalade', searchMode: 'fts', roles: ['user'], limit: 5 })
  expect(found).toMatchObject([{ embeddedText: 'The marmalade is finished.', ftsRank: 1 }])
  expect(await older.bob.agents.messages.search({ query: 'marmalade', searchMode: 'fts' })).toEqual([])
})

test('an agent answers a chat completion, whole', async () => {
  const id = await makeAgent()
  const chat = await older.alice.chat.createChatCompletion({
    model: id,
    messages: [{ role: 'user', content: 'Good morning' }],
    stream: false,
  })
  expect(JSON.stringify(chat)).toContain('Good morning')
  await refused(older.bob.chat.createChatCompletion({ model: id, messages: [{ role: 'user', content: 'Hello' }] }), 404)
})
