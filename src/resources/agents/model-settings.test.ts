import { expect, test } from 'vitest'
import { useTestServer } from '../../../test/server.ts'

const server = useTestServer()

const settingsOf = ({ body }: { body: { llm_config: Record<string, unknown>; model_settings: unknown } }) => [
  body.llm_config.temperature,
  body.llm_config.max_tokens,
  body.model_settings,
]

test('an agent always has settings of its model, which agree with the configuration, whichever was given', async () => {
  for (const { post, patch } of [server.alice, server.bob]) {
    const bare = await post('/v1/agents/', { name: 'Bare', model: 'openai/gpt-4o-mini' })
    expect(settingsOf(bare)).toEqual([undefined, undefined, { provider_type: 'openai' }])
    const config = { ...bare.body.llm_config, model_endpoint_type: 'ollama', temperature: 0.2, max_tokens: 99 }
    const configured = await post('/v1/agents/', { name: 'Configured', llm_config: config })
    expect(settingsOf(configured)).toEqual([0.2, 99, { temperature: 0.2, max_output_tokens: 99 }])
    const settings = { provider_type: 'openai', temperature: 0.5, max_output_tokens: 700, strict: true }
    const set = await post('/v1/agents/', { name: 'Set', llm_config: config, model_settings: settings })
    expect(settingsOf(set)).toEqual([0.5, 700, settings])
    const refused = { model_settings: { provider_type: 'openai', max_output_tokens: 10 }, max_reasoning_tokens: 2000 }
    expect((await post('/v1/agents/', { name: 'Set', llm_config: config, ...refused })).status).toBe(422)

    const url = `/v1/agents/${bare.body.id}`
    const cooler = { ...settings, temperature: 0.1 }
    expect(settingsOf(await patch(url, { model_settings: cooler }))).toEqual([0.1, 700, cooler])
    expect(settingsOf(await patch(url, { max_tokens: 800 }))).toEqual([0.1, 800, { ...cooler, max_output_tokens: 800 }])
    const moved = await patch(url, { model: 'openai/gpt-4o' })
    expect(settingsOf(moved)).toEqual([0.1, 800, { ...cooler, max_output_tokens: 800 }])
    const other = await patch(url, { model: 'anthropic/claude-sonnet-4-5' })
    const expected = { provider_type: 'anthropic', temperature: 0.1, max_output_tokens: 800 }
    expect(settingsOf(other)).toEqual([0.1, 800, expected])
    expect(settingsOf(await patch(url, { model_settings: null }))).toEqual([0.1, 800, expected])
    const unchanged = await patch(url, { name: 'Bare' })
    expect(unchanged.headers.etag).toBe((await patch(url, {})).headers.etag)
  }
})
