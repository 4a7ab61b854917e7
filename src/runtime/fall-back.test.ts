import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type ScriptedModel, startScriptedModel } from '../../test/models/scripted/model.ts'
import { startTestServer, type TestServer } from '../../test/server.ts'

let scripted: ScriptedModel
let server: TestServer
beforeAll(async () => {
  scripted = await startScriptedModel()
  const providers = [{ name: 'openai', type: 'openai' as const, apiKey: 'key', baseUrl: scripted.url }]
  server = await startTestServer({
    providers,
    modelFallbacks: { 'openai/gpt-4o': 'openai/gpt-4o-mini', '*': 'openai/gpt-4o' },
  })
})
afterAll(async () => {
  await server.close()
  await scripted.close()
})

let agent: string
beforeEach(async () => {
  const made = await server.alice.post('/v1/agents/', { name: 'Steady', model: 'openai/gpt-4o' })
  agent = made.body.id
})

const send = (body: object = {}) => server.alice.post(`/v1/agents/${agent}/messages`, { input: 'Hello', ...body })

/** Refused at once, as often as a call is tried. */
const failures = (status: number) => Array.from({ length: 3 }, () => ({ error: { status, retryAfter: 0 } }))

describe('a model that fails', () => {
  test('is followed by the one that the operator names, and the step says which', async () => {
    scripted.add(...failures(503), { text: 'Here I am.' })
    const { status, body } = await send()
    expect([status, body.messages.at(-1).content]).toEqual([200, 'Here I am.'])
    const { body: steps } = await server.alice.get(`/v1/steps/?agent_id=${agent}`)
    expect(steps).toMatchObject([
      { model: 'gpt-4o-mini', status: 'success' },
      { model: 'gpt-4o', status: 'failed' },
    ])
  })

  test('fails the run when all that follow fail, each tried once', async () => {
    const before = scripted.requests.length
    scripted.add(...failures(503), ...failures(503))
    expect((await send()).body.error.type).toBe('llm_error')
    expect(scripted.requests.length - before).toBe(6)
    const { body: kept } = await server.alice.get(`/v1/agents/${agent}/messages`)
    expect(kept).toHaveLength(1)
  })

  test('is followed by none where the request itself is wrong', async () => {
    const before = scripted.requests.length
    scripted.add({ error: { status: 400, message: 'No such parameter.' } })
    const { status, body } = await send()
    expect([status, body.error.type, body.error.detail]).toEqual([400, 'llm_bad_request', '400: No such parameter.'])
    expect(scripted.requests.length - before).toBe(1)
  })

  test('without credit is followed at once', async () => {
    scripted.add({ error: { status: 402, message: 'Insufficient credits.' } }, { text: 'Paid.' })
    expect((await send()).body.messages.at(-1).content).toBe('Paid.')
  })
})
