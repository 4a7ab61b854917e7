import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { PATIENT } from '../../../test/group-agents.ts'
import { type ScriptedModel, startScriptedModel } from '../../../test/models/scripted/model.ts'
import { useTestServer } from '../../../test/server.ts'
import { callTool } from '../../../test/tool-calls.ts'

const server = useTestServer({ defaultModel: 'cairn/scripted' })
let model: ScriptedModel
beforeAll(async () => {
  model = await startScriptedModel()
})
afterAll(() => model.close())

/** A voice agent of the built-in model, and the scripted one that looks after its memory; at most 8 messages in context. */
async function makePair() {
  const { alice } = server
  const { body } = await alice.post('/v1/agents/', {
    agent_type: 'voice_convo_agent',
    name: 'Ada',
    enable_sleeptime: true,
    memory_blocks: [{ label: 'human', value: '' }],
  })
  const { id: agent, managed_group: group } = body
  const manager_config = { manager_type: 'voice_sleeptime', max_message_buffer_length: 8, min_message_buffer_length: 5 }
  expect((await alice.patch(`/v1/groups/${group.id}`, { manager_config })).status).toBe(200)
  const [partner] = group.agent_ids
  const llm_config = { model: 'm', model_endpoint_type: 'openai', model_endpoint: model.url, context_window: 32_000 }
  expect((await alice.patch(`/v1/agents/${partner}`, { llm_config })).status).toBe(200)
  return { agent, partner }
}

const inContext = async (id: string): Promise<string[]> => (await server.alice.get(`/v1/agents/${id}`)).body.message_ids

test('a long voice conversation is cut, and its partner stores the parts worth keeping, where the agent finds them', {
  timeout: 240_000,
}, async () => {
  const { agent, partner } = await makePair()
  const { alice } = server
  const asked = model.requests.length
  model.add(
    // Lines that aren't there: the model is corrected, and nothing is stored.
    {
      calls: [{ name: 'store_memories', arguments: { chunks: [{ start_index: 0, end_index: 99, context: 'All.' }] } }],
    },
    {
      calls: [
        { name: 'store_memories', arguments: { chunks: [{ start_index: 0, end_index: 1, context: 'About cats.' }] } },
      ],
    },
    { calls: [{ name: 'rethink_user_memory', arguments: { new_memory: 'Has a cat, Tom.' } }] },
    { calls: [{ name: 'finish_rethinking_memory', arguments: {} }] },
  )
  let run: string | undefined
  for (let n = 0; run === undefined; n++) {
    const { status, body } = await alice.post(`/v1/agents/${agent}/messages`, {
      input: n < 2 ? 'My cat is Tom.' : `Turn ${n}.`,
    })
    expect(status).toBe(200)
    run = body.usage.run_ids?.[0]
  }
  expect((await inContext(agent)).length).toBeLessThanOrEqual(1 + 8)
  await vi.waitUntil(
    async () => (await alice.get(`/v1/runs/${run}`)).body.status !== 'running' && model.requests.length >= asked + 4,
    PATIENT,
  )
  const { body: list } = await alice.get(`/v1/agents/${partner}/messages?order=asc&limit=100`)
  const returns = list.filter(({ message_type }: { message_type: string }) => message_type === 'tool_return_message')
  expect(returns.map(({ status }: { status: string }) => status)).toEqual(['error', 'success', 'success', 'success'])
  const { body: passages } = await alice.get(`/v1/agents/${agent}/archival-memory`)
  expect(passages).toHaveLength(1)
  expect(passages[0].text).toContain('About cats.')
  const { body: blocks } = await alice.get(`/v1/agents/${agent}/core-memory/blocks`)
  expect(blocks.find(({ label }: { label: string }) => label === 'human')?.value).toBe('Has a cat, Tom.')
  const found = await callTool(alice, agent, 'search_memory', {
    convo_keyword_queries: ['Tom'],
    start_minutes_ago: null,
    end_minutes_ago: null,
  })
  expect(found.status).toBe('success')
  expect(found.tool_return).toContain('My cat is Tom.')
  expect((await server.bob.get(`/v1/runs/${run}`)).status).toBe(404)
})
