import Letta from '@letta-ai/letta-client'
import type { Run } from '@letta-ai/letta-client/resources/agents'
import type { RunListParams } from '@letta-ai/letta-client/resources/runs'
import { beforeAll, describe, expect, test } from 'vitest'
import { all, refused, UNKNOWN, useLetta } from './client.ts'

const server = useLetta({ defaultModel: 'cairn/scripted' })

const say = (content: string) => [{ role: 'user' as const, content }]
const insert = (text: string) => `!call memory_insert ${JSON.stringify({ label: 'human', new_string: text })}`
const kinds = (messages: { message_type?: string | null }[]) => messages.map(({ message_type }) => message_type)

/** Text and calls of a stream, joined as programs on this SDK join them: by the kind and the id. */
function joined(events: { message_type?: string | null; content?: unknown }[]) {
  return events
    .filter(({ message_type }) => message_type === 'assistant_message')
    .map(({ content }) => content)
    .join('')
}

const makeAgent = async (body: object = {}) =>
  (await server.alice.agents.create({ memory_blocks: [{ label: 'human', value: 'Ada.' }], ...body })).id

describe('a message', () => {
  test('is answered, and what the agent learned is in its memory', async () => {
    const { alice } = server
    const id = await makeAgent()
    const response = await alice.agents.messages.create(id, { messages: say(insert('Tea.')) })
    expect(kinds(response.messages)).toEqual(['tool_call_message', 'tool_return_message', 'assistant_message'])
    expect(response.stop_reason.stop_reason).toBe('end_turn')
    expect(response.usage).toMatchObject({ message_type: 'usage_statistics', step_count: 2 })
    expect((await alice.agents.blocks.retrieve('human', { agent_id: id })).value).toBe('Ada.\nTea.')
    expect(kinds(await all(alice.agents.messages.list(id, { order: 'asc' })))).toEqual([
      'system_message',
      'user_message',
      'tool_call_message',
      'tool_return_message',
      'assistant_message',
    ])
  })

  test('is streamed, whole messages or tokens', async () => {
    const { alice } = server
    const id = await makeAgent()
    const tokens = await alice.agents.messages.create(id, {
      input: 'Hello there, Ada',
      streaming: true,
      stream_tokens: true,
    })
    const events = await all(tokens)
    expect(joined(events)).toContain('Hello there, Ada')
    expect(kinds(events).slice(-2)).toEqual(['stop_reason', 'usage_statistics'])
    const steps = await all(await alice.agents.messages.stream(id, { input: 'Again' }))
    expect(kinds(steps)).toEqual(['ping', 'assistant_message', 'stop_reason', 'usage_statistics'])
  })

  test('in the background is a run to wait for, whose stream another reader reads again', async () => {
    const { alice } = server
    const id = await makeAgent()
    const { id: run } = await alice.agents.messages.createAsync(id, { input: 'Later' })
    await expect.poll(async () => (await alice.runs.retrieve(run)).status, { timeout: 30_000 }).toBe('completed')
    const first = await all(
      await alice.agents.messages.create(id, { input: 'one two', streaming: true, background: true }),
    )
    const [event] = first as { run_id?: string }[]
    const again = await all(await alice.runs.messages.stream(event!.run_id!, { starting_after: 0 }))
    expect(joined(again)).toBe(joined(first))
  })

  test('to an agent that waits for an approval is a conflict; the answer runs the call', async () => {
    const { alice } = server
    const id = await makeAgent({ tool_rules: [{ type: 'requires_approval', tool_name: 'memory_insert' }] })
    const asked = await alice.agents.messages.create(id, { input: insert('Tea.') })
    expect(asked.stop_reason.stop_reason).toBe('requires_approval')
    await expect(alice.agents.messages.create(id, { input: 'Hello?' }).asResponse()).rejects.toThrow(
      Letta.ConflictError,
    )
    const agent = await alice.agents.retrieve(id, { include: ['agent.pending_approval'] })
    const request = agent.pending_approval!
    const [call] = request.tool_calls as { tool_call_id: string }[]
    const approvals = [{ type: 'approval' as const, approve: true, tool_call_id: call!.tool_call_id }]
    const answered = await alice.agents.messages.create(id, { messages: [{ type: 'approval', approvals }] })
    expect(kinds(answered.messages)).toEqual(['tool_return_message', 'assistant_message'])
    await refused(alice.agents.messages.cancel(id), Letta.ConflictError, 'No run')
  })
})

describe('a run', () => {
  let id: string
  let run: Run
  beforeAll(async () => {
    id = await makeAgent()
    await server.alice.agents.messages.create(id, { input: insert('Tea.') })
    ;[run] = (await all(server.alice.runs.list({ agent_id: id }))) as [Run]
  })

  test('is found by its agent, its status and why it stopped', async () => {
    const { alice } = server
    expect(run).toMatchObject({ agent_id: id, status: 'completed', stop_reason: 'end_turn' })
    expect(await alice.runs.retrieve(run.id)).toEqual(run)
    const found = async (query: RunListParams) => (await all(alice.runs.list({ agent_id: id, ...query }))).length
    expect(await found({ statuses: ['completed'], stop_reason: 'end_turn' })).toBe(1)
    expect(await found({ active: true })).toBe(0)
    expect(await found({ background: true })).toBe(0)
    await refused(alice.runs.retrieve(`run-${UNKNOWN}`), Letta.NotFoundError, 'No run')
    await refused(server.bob.runs.retrieve(run.id), Letta.NotFoundError, 'No run')
  })

  test('has its messages, its tokens and its steps', async () => {
    const { alice } = server
    const messages = await all(alice.runs.messages.list(run.id))
    expect(kinds(messages)[0]).toBe('user_message')
    const usage = await alice.runs.usage.retrieve(run.id)
    const steps = await all(alice.runs.steps.list(run.id))
    expect(steps.map(({ total_tokens }) => total_tokens!).reduce((a, b) => a + b)).toBe(usage.total_tokens)
    expect(await all(alice.steps.list({ agent_id: id }))).toEqual(steps)
    const spans = await alice.runs.trace.retrieve(run.id, { limit: 1 })
    expect(spans).toMatchObject([{ name: 'invoke_agent', span_id: run.id }])
  })

  test('has steps with times, messages, the provider’s request, and what a reader thinks of them', async () => {
    const { alice } = server
    const [step] = await all(alice.runs.steps.list(run.id))
    expect(await alice.steps.retrieve(step!.id)).toEqual(step)
    expect(await alice.steps.metrics.retrieve(step!.id)).toMatchObject({ run_id: run.id, agent_id: id })
    expect(kinds(await all(alice.steps.messages.list(step!.id)))).toEqual(['assistant_message'])
    expect((await alice.steps.trace.retrieve(step!.id))!.request_json).toBeTruthy()
    const rated = await alice.steps.feedback.create(step!.id, { feedback: 'negative', tags: ['odd'] })
    expect(rated).toMatchObject({ feedback: 'negative', tags: ['odd'] })
    expect(await all(alice.steps.list({ feedback: 'negative', has_feedback: true }))).toEqual([rated])
    await refused(server.bob.steps.retrieve(step!.id), Letta.NotFoundError, 'No step')
  })
})

test('the context of an agent is compacted, compiled anew and emptied', async () => {
  const { agents } = server.alice
  const id = await makeAgent()
  for (const word of ['One', 'Two', 'Three']) await agents.messages.create(id, { input: word })
  const settings = { mode: 'all' as const, model: 'cairn/scripted' }
  const compacted = await agents.messages.compact(id, { compaction_settings: settings })
  expect(compacted).toMatchObject({ num_messages_before: 7, num_messages_after: 2, summary: expect.any(String) })
  expect(await agents.recompile(id)).toContain('6 previous messages')
  await agents.messages.reset(id, { add_default_initial_messages: false })
  expect((await agents.retrieve(id)).message_ids).toHaveLength(1)
  await refused(server.bob.agents.messages.compact(id), Letta.NotFoundError, '404')
})
