import { expect, test } from 'vitest'
import { MODEL, olderSdk, refused, unknown } from './client.ts'

const older = olderSdk()

/** A group of two agents of the model that needs no provider. */
async function makeGroup() {
  const { groups, agents } = older.alice
  const model = 'cairn/scripted'
  const [one, two] = [
    await agents.create({ ...MODEL, model, name: 'One' }),
    await agents.create({ ...MODEL, model, name: 'Two' }),
  ]
  return groups.create({ agentIds: [one.id, two.id], description: 'Talkers' })
}

test('a group is asked, read and reset', async () => {
  const { groups } = older.alice
  const { id } = await makeGroup()
  const { messages, stopReason } = await groups.messages.create(id, { messages: [{ role: 'user', content: 'Hello.' }] })
  expect(stopReason.stopReason).toBe('end_turn')
  const said = messages.filter(({ messageType }) => messageType === 'assistant_message')
  expect(said.map(({ name }) => name)).toContain('Two')
  expect((await groups.messages.list(id, { limit: 50 })).map(({ messageType }) => messageType)).toContain(
    'user_message',
  )
  await groups.messages.reset(id)
  expect(await groups.messages.list(id)).toEqual([])
  await refused(groups.messages.reset(unknown('group')), 404)
  await refused(groups.messages.modify(id, unknown('message'), { content: 'x' }), 405)
})

test('a group streams the words of its members', async () => {
  const { groups } = older.alice
  const { id } = await makeGroup()
  const names = new Set<string | undefined>()
  const stream = await groups.messages.createStream(id, {
    messages: [{ role: 'user', content: 'Hello.' }],
    streamTokens: true,
  })
  for await (const event of stream) if (event.messageType === 'assistant_message') names.add(event.name)
  expect([...names]).toEqual(['One', 'Two'])
})
