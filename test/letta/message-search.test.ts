import Letta from '@letta-ai/letta-client'
import { expect, test } from 'vitest'
import { refused, UNKNOWN, useLetta } from './client.ts'

const server = useLetta()

test('messages of all agents are listed, retrieved and searched', async () => {
  const { alice } = server
  const { id } = await alice.agents.create({ name: 'Ada', model: 'cairn/scripted' })
  await alice.agents.messages.create(id, { input: 'Quinces are yellow.' })
  const [asked, answer] = await alice.messages.list({ limit: 2 })
  expect(asked).toMatchObject({ message_type: 'user_message', content: 'Quinces are yellow.' })
  expect(answer).toMatchObject({ message_type: 'assistant_message' })
  expect(await alice.messages.retrieve(asked!.id)).toEqual([asked])
  await refused(alice.messages.retrieve(`message-${UNKNOWN}`), Letta.NotFoundError, 'No message')
  const found = await alice.messages.search({ query: 'quince', search_mode: 'fts', agent_id: id })
  expect(found).toContainEqual({
    message_type: 'user_message',
    content: 'Quinces are yellow.',
    message_id: asked!.id,
    agent_id: id,
    conversation_id: null,
    created_at: expect.any(String),
  })
})
