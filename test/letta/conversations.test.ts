import Letta from '@letta-ai/letta-client'
import { expect, test } from 'vitest'
import { all, refused, UNKNOWN, useLetta } from './client.ts'

const server = useLetta({ defaultModel: 'cairn/scripted' })

/** The events of a stream, without pings. */
async function eventsOf(stream: AsyncIterable<unknown>) {
  const events: Record<string, unknown>[] = []
  for await (const event of stream) events.push(event as Record<string, unknown>)
  return events.filter(({ message_type }) => message_type !== 'ping')
}

const kinds = (events: object[]) => events.map((event) => (event as { message_type: string }).message_type)

test('a conversation is made, spoken to, listed, forked, changed and deleted with the SDK', async () => {
  const { alice, bob } = server
  const { id: agent_id } = await alice.agents.create({ name: 'Tea' })
  const { id } = await alice.conversations.create({ agent_id, summary: 'About tea' })
  const stream = await alice.conversations.messages.create(id, {
    messages: [{ role: 'user', content: 'Green or black?' }],
  })
  expect(kinds(await eventsOf(stream))).toEqual(['assistant_message', 'stop_reason', 'usage_statistics'])
  expect(kinds(await all(alice.conversations.messages.list(id, { order: 'asc' })))).toEqual([
    'system_message',
    'user_message',
    'assistant_message',
  ])
  expect(kinds(await all(alice.conversations.messages.list(id, { limit: 1 })))).toHaveLength(3)
  expect(await alice.conversations.list({ agent_id, summary_search: 'TEA' })).toMatchObject([{ id, model: null }])
  const fork = await alice.conversations.fork(id)
  expect(fork.in_context_message_ids).toHaveLength(3)
  expect(await alice.conversations.update(id, { summary: 'About coffee', model: null })).toMatchObject({
    summary: 'About coffee',
  })
  const compaction_settings = { mode: 'all' as const, model: 'cairn/scripted' }
  expect(await alice.conversations.messages.compact(id, { compaction_settings })).toMatchObject({
    num_messages_before: 3,
    num_messages_after: 2,
  })
  expect(await alice.conversations.recompile(id, { dry_run: true })).toContain(id)
  expect(await alice.conversations.recompile('default', { agent_id })).toContain(agent_id)
  await refused(bob.conversations.retrieve(id), Letta.NotFoundError, `No conversation with id ${id}`)
  await refused(alice.conversations.cancel(id), Letta.ConflictError, 'none waits')
  await alice.conversations.delete(id)
  await refused(alice.conversations.retrieve(id), Letta.NotFoundError, `No conversation with id ${id}`)
  await refused(alice.conversations.retrieve(`conv-${UNKNOWN}`), Letta.NotFoundError, 'No conversation')
})

test('a background stream of the agent itself is read again with the SDK', async () => {
  const { alice } = server
  const { id: agent_id } = await alice.agents.create({ name: 'Direct' })
  const messages = [{ role: 'user' as const, content: 'Hello', otid: 'mine' }]
  const request = { agent_id, messages, background: true, stream_tokens: true }
  const events = await eventsOf(await alice.conversations.messages.create('default', request))
  const again = await alice.conversations.messages.stream('default', { agent_id, otid: 'mine' })
  expect(await eventsOf(again)).toEqual(events)
})
