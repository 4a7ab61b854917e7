import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { useTestServer } from '../../../test/server.ts'
import { callOf, callTool } from '../../../test/tool-calls.ts'

const server = useTestServer({ defaultModel: 'cairn/scripted' })

const TOOLS = ['archival_memory_insert', 'archival_memory_search', 'memory_insert']

async function makeAgent(body: object = {}): Promise<string> {
  const memory_blocks = [{ label: 'human', value: 'Ada' }]
  return (await server.alice.post('/v1/agents/', { name: 'Ada', tools: TOOLS, memory_blocks, ...body })).body.id
}

const insert = (id: string, args: object) => callTool(server.alice, id, 'archival_memory_insert', args)
const search = (id: string, args: object) => callTool(server.alice, id, 'archival_memory_search', args)
const passagesOf = async (id: string) => (await server.alice.get(`/v1/agents/${id}/archival-memory`)).body

test('what an agent puts away lies in an archive of its own, made at first use, and is found', async () => {
  const id = await makeAgent()
  expect(await insert(id, { content: 'The sky is blue.', tags: ['sky'] })).toEqual({
    status: 'success',
    tool_return: 'None',
  })
  await insert(id, { content: 'Grass is green.', tags: ['meadow'] })
  expect((await server.alice.get(`/v1/archives/?agent_id=${id}`)).body).toMatchObject([{ name: "Ada's Archive" }])
  const [passage] = await passagesOf(id)
  const { tool_return } = await search(id, { query: 'sky', top_k: 1 })
  expect(tool_return).toMatch(
    new RegExp(
      `^\\[{'id': '${passage.id}', 'timestamp': '.*', 'content': 'The sky is blue.', 'tags': \\['sky'\\]}\\]$`,
    ),
  )
  expect((await search(id, { query: 'sky', tags: ['meadow'] })).tool_return).toContain('Grass is green.')
  expect((await search(id, { query: ' ' })).tool_return).toBe('[]')
  const { rows } = await sql<{ author: { agent_id: string } }>`
    select author from revisions where resource_id = ${passage.id}`.execute(server.database.kysely)
  expect(rows).toMatchObject([{ author: { agent_id: id, tool_call_id: expect.any(String) } }])
})

test('a passage is stored once, though the step is carried out again for a block that somebody else has changed', async () => {
  const shared = (await server.alice.post('/v1/blocks/', { label: 'shared', value: 'start' })).body
  const agents = await Promise.all(Array.from({ length: 4 }, () => makeAgent({ block_ids: [shared.id] })))
  await Promise.all(
    agents.map((id, n) => {
      const calls = [
        callOf('archival_memory_insert', { content: `Fact ${n}` }),
        callOf('memory_insert', { label: 'shared', new_string: `${n}` }),
      ]
      return server.alice.post(`/v1/agents/${id}/messages`, { input: calls.join('\n') })
    }),
  )
  for (const [n, id] of agents.entries()) expect(await passagesOf(id)).toMatchObject([{ text: `Fact ${n}` }])
  const { value } = (await server.alice.get(`/v1/blocks/${shared.id}`)).body
  expect(value.split('\n').sort()).toEqual(['0', '1', '2', '3', 'start'])
})

test('an agent whose embedding model fails remembers all the same', async () => {
  const id = await makeAgent()
  const archive = (await server.alice.post('/v1/archives/', { name: 'A' })).body
  await server.alice.patch(`/v1/agents/${id}/archives/attach/${archive.id}`)
  await sql`update archives set embedding_config = ${JSON.stringify({
    embedding_model: 'gone',
    embedding_endpoint_type: 'openai',
    embedding_dim: 8,
  })} where id = ${archive.id}`.execute(server.database.kysely)
  expect(await insert(id, { content: 'Kept.' })).toMatchObject({ status: 'success' })
  expect(await passagesOf(id)).toMatchObject([{ text: 'Kept.' }])
  expect((await search(id, { query: 'kept' })).tool_return).toContain('Kept.')
})

test.each([
  [{ content: ' ' }, 'must have 1 to'],
  [{ content: 'x', tags: [''] }, 'Each tag'],
  [{ content: 'x', tags: [1] }, '"tags"'],
])('%j is an error that the model reads', async (args, message) => {
  const id = await makeAgent()
  const { status, tool_return } = await insert(id, args)
  expect([status, tool_return]).toEqual(['error', expect.stringContaining(message)])
  expect(await passagesOf(id)).toEqual([])
})
