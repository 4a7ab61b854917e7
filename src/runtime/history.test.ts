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

test.each([
  ['at the end of the run', [], ['system_message', 'user_message']],
  [
    'before the run goes on',
    [{ type: 'required_before_exit', tool_name: 'conversation_search' }],
    ['system_message', 'user_message', 'tool_call_message', 'tool_return_message', 'assistant_message'],
  ],
])('a message that its model answers with nothing stays in the history: %s', async (_, tool_rules, types) => {
  const call = { name: 'conversation_search', arguments: { query: 'nuts' } }
  const model = await startScriptedModel({ answers: [{ text: '' }, { calls: [call] }, { text: 'Done.' }] })
  const llm_config = { model: 'm', model_endpoint_type: 'openai', model_endpoint: model.url, context_window: 32_000 }
  const { body: agent } = await server.alice.post('/v1/agents/', { llm_config, tool_rules })
  expect((await server.alice.post(`/v1/agents/${agent.id}/messages`, { input: 'No nuts.' })).status).toBe(200)
  const { body } = await server.alice.get(`/v1/agents/${agent.id}/messages?order=asc`)
  expect(body.map(({ message_type }: { message_type: string }) => message_type)).toEqual(types)
  for (const { body: asked } of model.requests) expect(JSON.stringify(asked.messages)).toContain('No nuts.')
  await model.close()
})
