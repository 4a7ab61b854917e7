import Letta from '@letta-ai/letta-client'
import { expect, test } from 'vitest'
import { refused, useLetta } from './client.ts'

const server = useLetta({ defaultModel: 'cairn/scripted' })

const messages = [{ role: 'user' as const, content: 'Good morning' }]

test('messages are scheduled, once or again and again, listed page by page, and deleted', async () => {
  const { schedule } = server.alice.agents
  const agent_id = (await server.alice.agents.create({ name: 'Agent' })).id
  const at = Date.now() + 3_600_000
  const once = await schedule.create(agent_id, { messages, schedule: { type: 'one-time', scheduled_at: at } })
  expect(once.next_scheduled_at).toBe(new Date(at).toISOString())
  const recurring = { type: 'recurring' as const, cron_expression: '0 9 * * *' }
  const daily = await schedule.create(agent_id, { messages, schedule: recurring, max_steps: 3 })

  const found = await schedule.retrieve(daily.id, { agent_id })
  expect(found).toMatchObject({ id: daily.id, agent_id, message: { messages, max_steps: 3 }, schedule: recurring })
  expect(found.next_scheduled_time).toMatch(/T09:00:00\.000Z$/)
  const first = await schedule.list(agent_id, { limit: '1' })
  expect([first.has_next_page, first.scheduled_messages.map(({ id }) => id)]).toEqual([true, [daily.id]])
  const rest = await schedule.list(agent_id, { limit: '1', after: daily.id })
  expect([rest.has_next_page, rest.scheduled_messages.map(({ id }) => id)]).toEqual([false, [once.id]])

  expect(await schedule.delete(daily.id, { agent_id })).toEqual({ success: true })
  await refused(schedule.retrieve(daily.id, { agent_id }), Letta.NotFoundError, 'No schedule')
})

test('a schedule without a next time has null in its place, and is nothing to another organization', async () => {
  const agent_id = (await server.alice.agents.create({ name: 'Agent' })).id
  const url = `/letta/v1/agents/${agent_id}/schedule`
  const body = { messages, schedule: { type: 'recurring', cron_expression: '0 9 * * *' }, paused: true }
  const { id } = (await server.neutral.post(url, body)).body
  expect((await server.alice.agents.schedule.retrieve(id, { agent_id })).next_scheduled_time).toBeNull()
  await expect(server.bob.agents.schedule.retrieve(id, { agent_id })).rejects.toMatchObject({ status: 404 })
})
