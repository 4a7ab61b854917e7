import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Answer } from '../../../test/models/answer.ts'
import { type ScriptedModel, startScriptedModel } from '../../../test/models/scripted/model.ts'
import { isSummary, textsIn, type Windowed, type WindowedOptions, windowed } from '../../../test/models/windowed.ts'
import { eventsIn } from '../../../test/replies.ts'
import { type Client, useTestServer } from '../../../test/server.ts'
import type { Asked } from '../../../test/stand-ins/wire.ts'

const server = useTestServer({ defaultModel: 'cairn/scripted' })
let alice: Client
beforeAll(() => {
  alice = server.alice
})

const models: ScriptedModel[] = []
afterEach(async () => {
  for (const model of models.splice(0)) await model.close()
})

const WINDOW = 4_000

interface Talk {
  id: string
  model: ScriptedModel
  counts: Windowed
  /** Sends a message, and returns the messages of the answer. */
  say(input: string, body?: object): Promise<Record<string, never>[]>
  /** The messages of the agent, oldest first. */
  list(): Promise<Record<string, never>[]>
}

/** An agent whose model has a small window. */
async function talk(options: Partial<WindowedOptions> = {}, body: object = {}): Promise<Talk> {
  const counts = windowed({ window: WINDOW, ...options })
  const model = await startScriptedModel({ answers: counts.respond })
  models.push(model)
  const llm_config = { model: 'm', model_endpoint_type: 'openai', model_endpoint: model.url, context_window: WINDOW }
  const { id } = (
    await alice.post('/v1/agents/', { llm_config, system: 'You help.', include_base_tools: false, ...body })
  ).body
  return {
    id,
    model,
    counts,
    async say(input, more = {}) {
      const reply = await alice.post(`/v1/agents/${id}/messages`, { input, ...more })
      expect([reply.status, reply.body.detail]).toEqual([200, undefined])
      return reply.body.messages
    },
    list: async () => (await alice.get(`/v1/agents/${id}/messages?order=asc&limit=200`)).body,
  }
}

/** Some 600 tokens, each time other ones. */
const prose = (n: number) => Array.from({ length: 150 }, (_, at) => `word${n} number ${at * n}`).join(', ')

const kinds = (messages: readonly Record<string, string>[]) => messages.map(({ message_type }) => message_type)

describe('a conversation that outgrows the window of its model', () => {
  test.each([0.6, 1, 1.4])(
    'is compacted before the window is full, with %s tokens for each estimated one',
    async (factor) => {
      const { id, say, list, counts, model } = await talk({ factor, keeps: /Tom/ })
      await say('My cat is Tom.')
      for (let n = 1; n <= 9; n++) await say(prose(n))
      expect(counts.refused).toBe(0)
      expect(Math.max(...counts.prompts)).toBeGreaterThan(WINDOW / 2)
      expect(model.requests.filter(isSummary).length).toBeGreaterThan(1)
      // Summaries chain: the first message went long ago.
      expect(textsIn(model.requests.at(-1)!).join()).toContain('My cat is Tom.')
      const all = await list()
      expect(all.filter(({ content }) => content === 'My cat is Tom.')).toHaveLength(1)
      expect(kinds(all)).toContain('summary_message')
      const { message_ids } = (await alice.get(`/v1/agents/${id}`)).body
      expect(message_ids.length).toBeLessThan(all.length)
    },
  )

  test('goes on when no model can summarize: the beginnings of the messages stay', async () => {
    const { say, counts, model } = await talk()
    const failing: Answer = { error: { status: 400, message: 'The summarizer refuses this.' } }
    const respond = (request: Asked) => (isSummary(request) ? failing : counts.respond(request))
    model.add(...Array.from({ length: 30 }, () => respond))
    await say('My cat is Tom.')
    for (let n = 1; n <= 8; n++) await say(prose(n))
    expect(counts.refused).toBe(0)
    expect(textsIn(model.requests.at(-1)!).join()).toContain('word8 number 8')
  })

  test('shortens old returns of tools before it summarizes anything', async () => {
    const long = { calls: [{ name: 'conversation_look', arguments: {} }] }
    const { id, say, model } = await talk({
      answer: ({ body }) => (body.messages.at(-1).role === 'tool' ? { text: 'Seen.' } : long),
    })
    const client_tools = [{ name: 'conversation_look', parameters: { type: 'object', properties: {} } }]
    for (let n = 1; n <= 6; n++) {
      const [request] = await say('Look.', { client_tools })
      const tool_call_id = (request as { tool_calls?: { tool_call_id: string }[] }).tool_calls![0]!.tool_call_id
      const returns = [{ type: 'tool', tool_call_id, tool_return: prose(n), status: 'success' }]
      const reply = await alice.post(`/v1/agents/${id}/messages`, {
        messages: [{ type: 'tool_return', tool_returns: returns }],
        client_tools,
      })
      expect(reply.status).toBe(200)
    }
    expect(model.requests.filter(isSummary)).toHaveLength(0)
    const texts = textsIn(model.requests.at(-1)!)
    expect(texts.filter((text) => text.includes('characters cut')).length).toBeGreaterThan(1)
    expect(texts.at(-1)).toContain('word6')
    expect(texts.at(-1)).not.toContain('characters cut')
  })
})

describe('a model that refuses a prompt as too long', () => {
  test('is asked again with a shorter one, and the caller sees nothing of it', async () => {
    // The server of the model has a smaller window than the agent knows of.
    const { say, counts } = await talk({ window: 2_000 })
    for (let n = 1; n <= 6; n++) expect(kinds(await say(prose(n)))).toEqual(['assistant_message'])
    expect(counts.refused).toBeGreaterThan(0)
  })

  test('ends the run when the system prompt alone is too long', async () => {
    const { id } = await talk({}, { system: prose(3).repeat(20) })
    const reply = await alice.post(`/v1/agents/${id}/messages`, { input: 'Hello', streaming: true })
    const events = eventsIn(reply.body)
    expect(events).toContainEqual(expect.objectContaining({ stop_reason: 'context_window_overflow_in_system_prompt' }))
  })
})

describe('a compaction in a run', () => {
  const fill = async ({ say }: Talk) => {
    for (let n = 1; n <= 4; n++) await say(prose(n))
  }

  test('is reported to a caller who asks for it', async () => {
    const asking = await talk()
    await fill(asking)
    const before = asking.model.requests.length
    for (let n = 0; asking.model.requests.slice(before).every((request) => !isSummary(request)); n++) {
      const messages = await asking.say(prose(20 + n), { include_compaction_messages: true })
      if (messages.length === 1) continue
      expect(kinds(messages)).toEqual(['event_message', 'summary_message', 'assistant_message'])
      expect(messages[0]).toMatchObject({ event_type: 'compaction', event_data: { context_window: WINDOW } })
      const stats = (messages[1] as { compaction_stats?: Record<string, number> }).compaction_stats!
      expect(stats).toMatchObject({ trigger: 'post_step_context_check', context_window: WINDOW })
      expect(stats.context_tokens_after).toBeLessThan(stats.context_tokens_before!)
      expect(stats.messages_count_after).toBeLessThan(stats.messages_count_before!)
    }
  })

  test('is reported to no other caller, and clients of the vendor list it as a user’s message', async () => {
    const { id, say, list } = await talk()
    for (let n = 1; n <= 9; n++) expect(kinds(await say(prose(n)))).toEqual(['assistant_message'])
    const summary = (await list()).find(({ message_type }) => message_type === 'summary_message')!
    const vendor = (await alice.get(`/letta/v1/agents/${id}/messages?order=asc&limit=200`)).body
    const same = vendor.find((message: { id: string }) => message.id === summary.id)
    expect(same.message_type).toBe('user_message')
    expect(JSON.parse(same.content)).toMatchObject({ type: 'system_alert', compaction_stats: expect.anything() })
  })
})

describe('the call of a model that summarizes', () => {
  const usageOf = async (run: string) => (await alice.get(`/v1/runs/${run}/usage`)).body
  const summariesOf = async (id: string) => (await alice.get(`/v1/steps/?agent_id=${id}&tags=summarization`)).body

  test('is a step of its run with its request, and its tokens are the run’s', async () => {
    const { id, say } = await talk()
    const { id: budget } = (await alice.post('/v1/budgets/', { agent_id: id, tokens: 1_000_000 })).body
    for (let n = 1; (await summariesOf(id)).length === 0; n++) await say(prose(n))
    const [summary] = await summariesOf(id)
    expect(summary).toMatchObject({ status: 'success', completion_tokens: 5, model: 'm' })
    const { body: trace } = await alice.get(`/v1/steps/${summary.id}/trace`)
    expect(trace).toMatchObject({ call_type: 'summarization', step_id: summary.id, run_id: summary.run_id })
    expect(JSON.stringify(trace.request_json)).toContain('word1 number 1')
    expect((await server.bob.get(`/v1/steps/${summary.id}/trace`)).status).toBe(404)
    const steps = (await alice.get(`/v1/runs/${summary.run_id}/steps`)).body
    const total = steps.reduce((sum: number, step: { total_tokens: number }) => sum + step.total_tokens, 0)
    expect(steps).toHaveLength(2)
    expect((await usageOf(summary.run_id)).total_tokens).toBe(total)
    expect((await alice.get(`/v1/runs/${summary.run_id}/metrics`)).body.num_steps).toBe(1)
    const spans = (await alice.get(`/v1/runs/${summary.run_id}/trace`)).body
    expect(spans.map(({ name }: { name: string }) => name).toSorted()).toEqual([
      'agent_step',
      'invoke_agent',
      'summarization',
      'time_to_first_token',
    ])
    const all = (await alice.get(`/v1/steps/?agent_id=${id}`)).body
    const paid = all.reduce((sum: number, step: { total_tokens: number }) => sum + step.total_tokens, 0)
    expect((await alice.get(`/v1/budgets/${budget}`)).body.used.tokens).toBe(paid)
  })

  test('is a step of its agent where a caller asks for it, and is refused beyond the budget', async () => {
    const { id, say } = await talk()
    for (let n = 1; n <= 2; n++) await say(prose(n))
    await alice.post('/v1/budgets/', { agent_id: id, tokens: 1 })
    const summarize = () =>
      alice.post(`/v1/agents/${id}/summarize`, { compaction_settings: { mode: 'all', model: null } })
    expect((await summarize()).status).toBe(200)
    const [summary, ...others] = await summariesOf(id)
    expect([summary.run_id, others]).toEqual([undefined, []])
    expect((await alice.get(`/v1/steps/${summary.id}/trace`)).body.call_type).toBe('summarization')
    expect((await summarize()).status).toBe(429)
    expect((await alice.post(`/v1/agents/${id}/generate`, { prompt: 'Hello' })).status).toBe(429)
  })

  test('of a single answer counts for the budget too', async () => {
    const { id } = await talk()
    await alice.post('/v1/budgets/', { agent_id: id, tokens: 1 })
    const generate = () => alice.post(`/v1/agents/${id}/generate`, { prompt: 'Hello' })
    expect([(await generate()).status, (await generate()).status]).toEqual([200, 429])
  })
})

describe('the settings of a compaction', () => {
  test.each(['all', 'self_compact_all', 'sliding_window', 'self_compact_sliding_window'])(
    'mode %s leaves the messages that it should',
    async (mode) => {
      const asks = ({ body }: Asked) => JSON.stringify(body.messages).includes('You summarize')
      const { say, model } = await talk(
        { answer: (request) => ({ text: asks(request) ? 'Summed up.' : 'Yes.' }) },
        { compaction_settings: { mode, prompt: 'You summarize.', clip_chars: 500 } },
      )
      for (let n = 1; n <= 8; n++) await say(prose(n))
      const first = model.requests.findIndex(asks)
      // The agent's own model sees its own prompt first.
      expect(model.requests[first]!.body.messages[0].content.startsWith('You help')).toBe(mode.startsWith('self'))
      const { messages } = model.requests.slice(first).find((request) => !asks(request))!.body
      expect(messages[1].content).toContain('system_alert')
      if (mode.endsWith('all')) expect(messages).toHaveLength(3)
      else expect(messages.length).toBeGreaterThan(3)
    },
  )
})
