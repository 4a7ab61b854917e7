import { expect, test } from 'vitest'
import { olderSdk, refused } from './client.ts'

const older = olderSdk({ defaultModel: 'cairn/scripted' })

test('a batch of messages is made, listed, retrieved and cancelled', async () => {
  const { agents, batches } = older.alice
  const agentId = (await agents.create({ name: 'Agent' })).id
  const say = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Hello' }] }]
  const made = await batches.create({ requests: [{ agentId, messages: say }] })
  expect([made.jobType, made.completedAt]).toEqual(['batch', undefined])
  const found = async () => (await batches.retrieve(made.id!)).status
  await expect.poll(found, { timeout: 30_000 }).toBe('completed')
  const [listed] = await batches.list({ limit: 1 })
  expect([listed!.id, listed!.createdAt]).toEqual([made.id, made.createdAt])
  const url = `/letta/v1/messages/batches/${made.id}/messages?order=asc`
  const { messages } = (await older.server.alice.get(url)).body
  expect(messages.map(({ role }: { role: string }) => role)).toEqual(['user', 'assistant'])

  const other = await batches.create({ requests: [{ agentId, messages: say }] })
  await batches.cancel(other.id!)
  expect((await batches.retrieve(other.id!)).completedAt).toBeInstanceOf(Date)
  await refused(older.bob.batches.retrieve(made.id!), 404)
})
