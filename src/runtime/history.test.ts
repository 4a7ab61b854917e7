import { expect, test } from 'vitest'
import { startScriptedModel } from '../../test/models/scripted/model.ts'
import { useTestServer } from '../../test/server.ts'

const server = useTestServer()

test('a model reads once that its call failed: the text of the return says so, without another wrapping', async () => {
  const call = { name: 'memory_insert', arguments: { label: 'nobody', new_string: 'x' } }
  const model = await startScriptedModel({ answers: [{ calls: [call] }, { text: 'Oh.' }] })
  const llm_config = { model: 'm', model_endpoint_type: 'openai', model_endpoint: model.url, context_window: 32_000 }
  const { body: agent } = await server.alice.post('/v1/agents/', { llm_config })
  expect((await server.alice.post(`/v1/agents/${agent.id}/messages`, { input: 'Hello' })).status).toBe(200)
  const { content } = model.requests.at(-1)!.body.messages.at(-1)
  expect(JSON.parse(content)).toMatchObject({ status: 'Failed', message: expect.stringContaining('nobody') })
  await model.close()
})
