import { expect, test } from 'vitest'
import { useTestServer } from '../../../test/server.ts'
import { callTool } from '../../../test/tool-calls.ts'
import { timeAgo } from './recall.ts'

const server = useTestServer({ defaultModel: 'cairn/scripted' })

async function makeAgent(): Promise<string> {
  const body = { tools: ['conversation_search'], include_base_tools: false, timezone: 'Asia/Kolkata' }
  return (await server.alice.post('/v1/agents/', body)).body.id
}

const say = (id: string, input: string) => server.alice.post(`/v1/agents/${id}/messages`, { input })

const recall = (id: string, args: object) => callTool(server.alice, id, 'conversation_search', args)

test('an agent finds what was said before, with its time and how well it fits', async () => {
  const id = await makeAgent()
  await say(id, 'Tell me about bananas.')
  await say(id, 'Nothing else.')
  const { status, tool_return } = await recall(id, { query: 'bananas', roles: ['user'] })
  expect(status).toBe('success')
  expect(tool_return).toMatch(
    /^{'message': 'Showing 1 results:', 'results': \[{'timestamp': '\d{4}-.*\+05:30', 'time_ago': '\d+s ago', 'role': 'user', 'content': 'Tell me about bananas.', 'relevance': {'score': .*'fts_rank': 1, 'search_mode': 'hybrid'}}]}$/,
  )
  const none = await recall(id, { query: 'bananas', end_date: '2020-01-01' })
  expect(none.tool_return).toBe("{'message': 'No results found.', 'results': []}")
})

test('an agent lists its newest messages without a query, of itself alone', async () => {
  const [id, other] = [await makeAgent(), await makeAgent()]
  await say(other, 'Of another.')
  await say(id, 'First.')
  await say(id, 'Second.')
  const { tool_return } = await recall(id, { roles: ['user'], limit: 2 })
  expect([...tool_return.matchAll(/'content': '(.*?)'/g)].map(([, text]) => text)).toEqual(['Second.', 'First.'])
})

test.each([
  [{ query: 'x', roles: ['robot'] }, '"roles"'],
  [{ query: 'x', limit: 0 }, '"limit" must be at least 1'],
  [{ query: 'x', start_date: 'yesterday' }, 'start_date'],
])('a search by %j is an error that the model reads', async (args, message) => {
  const { status, tool_return } = await recall(await makeAgent(), args)
  expect([status, tool_return]).toEqual(['error', expect.stringContaining(message)])
})

test.each([
  [0, '0s ago'],
  [90, '1m ago'],
  [7200, '2h ago'],
  [200_000, '2d ago'],
])('%d seconds are %s', (seconds, expected) => {
  expect(timeAgo(new Date(0), new Date(seconds * 1000))).toBe(expected)
})
