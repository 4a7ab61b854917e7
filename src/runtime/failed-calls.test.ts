import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { countStatements } from '../../test/count-statements.ts'
import type { Answer } from '../../test/models/answer.ts'
import { type ScriptedModel, startScriptedModel } from '../../test/models/scripted/model.ts'
import { startTestServer, type TestServer } from '../../test/server.ts'

let model: ScriptedModel
let server: TestServer
beforeAll(async () => {
  model = await startScriptedModel()
  const providers = [{ name: 'openai', type: 'openai' as const, apiKey: 'key', baseUrl: model.url }]
  server = await startTestServer({ providers, modelFallbacks: { 'openai/gpt-4o': 'openai/gpt-4o-mini' } })
})
afterAll(async () => {
  await server.close()
  await model.close()
})

let agent: string
async function makeAgent(body: object = {}, { alice } = server) {
  const made = await alice.post('/v1/agents/', { model: 'openai/gpt-4o', ...body })
  expect([made.status, made.body.detail]).toEqual([200, undefined])
  agent = made.body.id
}
beforeEach(() => makeAgent())

const send = (input = 'Hello') => server.alice.post(`/v1/agents/${agent}/messages`, { input })

/** The steps of the agent's latest run, the oldest first, each with its trace. */
async function steps({ alice, bob } = server) {
  const [run] = (await alice.get(`/v1/runs/?agent_id=${agent}&limit=1`)).body
  const { body } = await alice.get(`/v1/runs/${run.id}/steps?order=asc`)
  expect((await alice.get(`/v1/steps/?agent_id=${agent}&order=asc`)).body).toEqual(body)
  return Promise.all(
    body.map(async (step: { id: string }) => {
      expect((await alice.get(`/v1/steps/${step.id}`)).body).toEqual(step)
      expect((await bob.get(`/v1/steps/${step.id}`)).status).toBe(404)
      expect((await bob.get(`/v1/steps/${step.id}/trace`)).status).toBe(404)
      return { ...step, trace: (await alice.get(`/v1/steps/${step.id}/trace`)).body }
    }),
  )
}

const refusals: Answer[] = Array.from({ length: 3 }, () => ({
  error: { status: 503, retryAfter: 0, message: 'Down.' },
}))
const tooLong: Answer = { error: { status: 400, message: "This model's maximum context length is 9 tokens." } }

describe('a call of a model is a step, with its error and its request,', () => {
  test('when another model takes its place', async () => {
    model.add(...refusals, { text: 'Here I am.' })
    const { body } = await send()
    expect(body.usage).toMatchObject({ step_count: 1, prompt_tokens: 10, completion_tokens: 5 })
    const [failed, answered] = await steps()
    expect(failed).toMatchObject({ model: 'gpt-4o', status: 'failed', stop_reason: 'llm_api_error' })
    expect(failed).toMatchObject({ error_type: 'llm_error', error_data: { detail: '503: Down.' }, total_tokens: 0 })
    expect(failed.trace).toMatchObject({ call_type: 'agent_step', request_json: { model: 'gpt-4o' } })
    expect(failed.trace.response_json.error).toMatchObject({ type: 'llm_error', detail: '503: Down.' })
    expect(answered).toMatchObject({ model: 'gpt-4o-mini', status: 'success', stop_reason: 'end_turn' })
    expect(answered).not.toHaveProperty('error_type')
  })

  test('when the model refuses it as too long', async () => {
    model.add(tooLong, { text: 'Here I am.' })
    const { body } = await send()
    expect(body.usage.step_count).toBe(1)
    expect(await steps()).toMatchObject([
      {
        status: 'failed',
        error_type: 'llm_context_window',
        trace: { response_json: { error: { type: 'llm_context_window' } } },
      },
      { status: 'success' },
    ])
  })

  const cancel = ({ alice } = server) => alice.post(`/v1/agents/${agent}/messages/cancel`)
  const expected = { status: 'cancelled', stop_reason: 'cancelled', error_type: 'cancelled', total_tokens: 0 }

  test('when the run is cancelled before the answer begins', async () => {
    const never = Promise.withResolvers<void>()
    const before = model.requests.length
    model.add({ after: never.promise, text: 'Too late.' })
    const sent = send('Count.')
    await vi.waitUntil(() => model.requests.length > before, { timeout: 30_000 })
    await cancel()
    never.resolve()
    const { body } = await sent
    expect(body).toMatchObject({ stop_reason: { stop_reason: 'cancelled' }, usage: { step_count: 0 } })
    const [cancelled, ...others] = await steps()
    expect(others).toEqual([])
    expect(cancelled).toMatchObject(expected)
    expect(cancelled.trace.response_json.error.message).toBe(cancelled.error_data.message)
  })

  test('when the run is cancelled in the middle of an answer', async () => {
    // A server that listens lists the models of its providers anew.
    const listening = await startTestServer()
    const config = { model: 'any', model_endpoint_type: 'openai', model_endpoint: model.url, context_window: 32_000 }
    await makeAgent({ model: undefined, llm_config: config }, listening)
    const never = Promise.withResolvers<void>()
    model.add({ text: 'one two three', pause: { after: 2, until: never.promise } })
    const origin = await listening.app.listen({ port: 0, host: '127.0.0.1' })
    const stream = await fetch(`${origin}/v1/agents/${agent}/messages`, {
      method: 'POST',
      headers: { authorization: `Bearer ${listening.alice.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ input: 'Count.', streaming: true, stream_tokens: true }),
    })
    let text = ''
    for await (const chunk of stream.body!.pipeThrough(new TextDecoderStream())) {
      if (!text.includes('assistant_message') && chunk.includes('assistant_message')) await cancel(listening)
      text += chunk
    }
    never.resolve()
    expect(text).toContain('"stop_reason":"cancelled"')
    const [cancelled, ...others] = await steps(listening)
    expect(others).toEqual([])
    expect(cancelled).toMatchObject(expected)
    expect(JSON.stringify(cancelled.trace.request_json)).toContain('Count.')
    await listening.close()
  })

  test('when all models fail, one step for each', async () => {
    model.add(...refusals, ...refusals)
    expect((await send()).status).toBe(500)
    expect(await steps()).toMatchObject([
      { model: 'gpt-4o', status: 'failed' },
      { model: 'gpt-4o-mini', status: 'failed' },
    ])
  })

  test('when its answer has no call where one is needed: the tokens that it cost count', async () => {
    await makeAgent({ agent_type: 'mem_agent' })
    await server.alice.post('/v1/budgets/', { agent_id: agent, tokens: 20 })
    model.add({ text: 'No call.', usage: { input: 30, output: 4 } })
    expect((await send()).status).toBe(500)
    const [failed] = await steps()
    expect(failed).toMatchObject({ status: 'failed', stop_reason: 'no_tool_call', prompt_tokens: 30, total_tokens: 34 })
    const { choices, error } = failed.trace.response_json
    expect([choices[0].message.content, error.type]).toEqual(['No call.', 'llm_error'])
    const [run] = (await server.alice.get(`/v1/runs/?agent_id=${agent}`)).body
    expect((await server.alice.get(`/v1/runs/${run.id}/usage`)).body).toMatchObject({ total_tokens: 34 })
    expect((await send()).status).toBe(429)
  })
})

test('a failed call of a model takes no statement more', async () => {
  const plain = await countStatements(() => send())
  await makeAgent()
  model.add(tooLong, { text: 'Here I am.' })
  const refused = await countStatements(() => send())
  expect(await steps()).toHaveLength(2)
  expect(refused.statements).toBe(plain.statements)
})

test('a failed call without tokens leaves the cost of its run known', async () => {
  model.add(tooLong, { text: 'Here I am.' })
  await send()
  const [run] = (await server.alice.get(`/v1/runs/?agent_id=${agent}&limit=1`)).body
  const { body: usage } = await server.alice.get(`/v1/runs/${run.id}/usage`)
  const [, answered] = await steps()
  expect(usage.cost).toBe(answered.cost)
})
