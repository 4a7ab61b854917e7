import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ScriptedModel, startScriptedModel } from '../../../test/models/scripted/model.ts'
import { type Client, useTestServer } from '../../../test/server.ts'

const server = useTestServer()
let model: ScriptedModel
beforeAll(async () => {
  model = await startScriptedModel()
})
afterAll(() => model.close())

test('a model is asked with the key that the organization has now, and with no other organization’s', async () => {
  const { alice, bob } = server
  const hire = async (client: Client, api_key: string) => {
    const provider = { name: 'own', provider_type: 'vllm', base_url: model.url, api_key }
    const { id } = (await client.post('/v1/providers/', provider)).body
    const llm_config = {
      model: 'any',
      model_endpoint_type: 'openai',
      model_endpoint: model.url,
      context_window: 32_000,
    }
    const { body } = await client.post('/v1/agents/', { llm_config })
    return { provider: `/v1/providers/${id}`, messages: `/v1/agents/${body.id}/messages` }
  }
  const keyOf = async (client: Client, { messages }: { messages: string }) => {
    expect((await client.post(messages, { input: 'Hello' })).status).toBe(200)
    return model.requests.at(-1)!.headers.authorization
  }
  const [ofAlice, ofBob] = [await hire(alice, 'alice-1'), await hire(bob, 'bob-1')]
  expect(await keyOf(alice, ofAlice)).toBe('Bearer alice-1')
  expect(await keyOf(bob, ofBob)).toBe('Bearer bob-1')
  expect((await alice.patch(ofAlice.provider, { api_key: 'alice-2' })).status).toBe(200)
  expect(await keyOf(alice, ofAlice)).toBe('Bearer alice-2')
  expect(await keyOf(bob, ofBob)).toBe('Bearer bob-1')
  expect((await alice.delete(ofAlice.provider)).status).toBe(200)
  expect(await keyOf(alice, ofAlice)).toBeUndefined()
  await server.settle()
})
