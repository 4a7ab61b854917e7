import { expect, test } from 'vitest'
import { exported, type Json, timeless } from '../../../test/agent-export.ts'
import { countStatements } from '../../../test/count-statements.ts'
import { useTestServer } from '../../../test/server.ts'

const server = useTestServer({ bodyLimit: 64 * 1024 * 1024 })

async function importFile(file: object): Promise<string> {
  const form = new FormData()
  form.append('file', new Blob([JSON.stringify(file)]), 'large.af')
  const headers = { authorization: `Bearer ${server.alice.key}` }
  const response = await server.app.inject({ method: 'POST', url: '/v1/agents/import', headers, payload: form })
  expect([response.statusCode, response.body.slice(0, 300)]).toEqual([200, expect.any(String)])
  return response.json().agent_ids[0]
}

const times = <T>(count: number, make: (n: number) => T) => Array.from({ length: count }, (_, n) => make(n))

let files = 0
/** A file with this many of everything. */
function fileOf(count: number): Json {
  const run = ++files
  return {
    agents: times(count, (n) => ({
      id: `agent-${n}`,
      name: `Agent ${n}`,
      tags: ['many'],
      block_ids: [`block-${n}`],
      tool_ids: times(count, (m) => `tool-${m}`),
      source_ids: [`source-${n}`],
      secrets: { [`KEY_${n}`]: 'value' },
      messages: [{ id: `message-${n}`, role: 'system', content: 'You are many.' }],
      files_agents: [{ file_id: `file-${n}` }],
    })),
    groups: times(count, (n) => ({
      id: `group-${n}`,
      description: 'Many',
      agent_ids: times(count, (m) => `agent-${m}`),
      shared_block_ids: [`block-${n}`],
      manager_config: { manager_type: 'supervisor', manager_agent_id: `agent-${n}` },
    })),
    blocks: times(count, (n) => ({ id: `block-${n}`, label: 'human', value: `Person ${n}` })),
    tools: times(count, (n) => ({
      id: `tool-${n}`,
      name: `tool_${run}_${n}`,
      source_code: `# ${n}`,
      json_schema: { name: `tool_${run}_${n}` },
    })),
    sources: times(count, (n) => ({ id: `source-${n}`, name: `Papers ${run} ${n}` })),
    files: times(count, (n) => ({ id: `file-${n}`, source_id: `source-${n}`, file_name: `${n}.txt`, content: `${n}` })),
  }
}

test('an import and an export cost as many statements for fifty of everything as for one', async () => {
  const few = await countStatements(() => importFile(fileOf(1)))
  const many = await countStatements(() => importFile(fileOf(50)))
  expect(many.statements).toBe(few.statements)
  expect(few.statements).toBeLessThanOrEqual(23)
  const one = await countStatements(() => exported(server.alice, few.result))
  const all = await countStatements(() => exported(server.alice, many.result))
  expect(all.result.agents).toHaveLength(50)
  expect(all.result.files).toHaveLength(50)
  expect(all.statements).toBe(one.statements)
  // That tools are there already costs one more: the one that changes them.
  const again = await countStatements(() =>
    importFile({
      ...fileOf(50),
      tools: all.result.tools.map((tool: Json, n: number) => ({ ...tool, id: `tool-${n}`, source_code: '# other' })),
    }),
  )
  expect(again.statements).toBe(few.statements + 1)
})

test('a conversation of ten thousand messages keeps its order, with few statements', async () => {
  const messages = times(10_000, (n) => ({
    id: `message-${n}`,
    role: n === 0 ? 'system' : n % 2 === 1 ? 'user' : 'assistant',
    content: [{ type: 'text', text: `Sentence ${n}. ${'The rest of it. '.repeat(30)}` }],
    // Many of one instant.
    created_at: new Date(Date.UTC(2025, 0, 1) + Math.floor(n / 100)).toISOString(),
  }))
  const context = messages.filter((_, n) => n % 7 === 0).map(({ id }) => id)
  const { result: id, statements } = await countStatements(() =>
    importFile({ agents: [{ id: 'agent-0', name: 'Talker', messages, in_context_message_ids: context }] }),
  )
  expect(statements).toBeLessThanOrEqual(100)
  const first = await exported(server.alice, id)
  expect(first.agents[0].messages.map(({ content }: Json) => content)).toEqual(messages.map(({ content }) => content))
  expect(first.agents[0].in_context_message_ids).toEqual(context)
  expect(timeless(await exported(server.alice, await importFile(first)))).toEqual(timeless(first))
})

test('more blocks than a statement has room for are imported', async () => {
  const blocks = times(6_000, (n) => ({ id: `block-${n}`, label: `label ${n}`, value: `${n}` }))
  const id = await importFile({
    agents: [{ id: 'agent-0', name: 'Wide', block_ids: blocks.map((block) => block.id) }],
    blocks,
  })
  const { agents, blocks: back } = await exported(server.alice, id)
  expect(agents[0].block_ids).toHaveLength(6_000)
  expect(back.map(({ value }: Json) => value)).toEqual(blocks.map(({ value }) => value))
})
