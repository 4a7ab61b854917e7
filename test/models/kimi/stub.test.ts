import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { get, post } from '../broken.ts'
import { collect, ROLL, results, said } from '../collect.ts'
import type { Json } from '../shape.ts'
import type { Stub } from '../stub.ts'
import { BROKEN_KIMI, VALID_KIMI } from './broken-chats.ts'
import { startKimi } from './stub.ts'

let stub: Stub
beforeAll(async () => {
  stub = await startKimi()
})
afterAll(() => stub.close())

const modelOf = (model: string, apiKey = stub.key) =>
  createOpenAICompatible({ name: 'moonshot', baseURL: stub.url, apiKey, includeUsage: true }).chatModel(model)

describe('chat completions of Kimi', () => {
  test('thinking comes before calls, and is accepted when it comes back', async () => {
    stub.add({ reasoning: 'They want dice.', calls: [{ name: 'roll', arguments: { sides: 6 } }] }, { text: '5.' })
    const options: Json = { prompt: [said('Roll.')], tools: [ROLL] }
    const first = await collect(modelOf('kimi-k2.6'), options)
    expect(first).toMatchObject({
      reasoning: 'They want dice.',
      calls: [{ id: 'roll:0', input: '{"sides":6}' }],
      errors: [],
    })
    const prompt = [...options.prompt, { role: 'assistant', content: first.content }, results(first.calls, '5')]
    expect(await collect(modelOf('kimi-k2.6'), { ...options, prompt })).toMatchObject({
      text: '5.',
      usage: { inputTokens: { total: 10 } },
    })
    const dropped = first.content.filter(({ type }) => type === 'tool-call')
    const without = [...options.prompt, { role: 'assistant', content: dropped }, results(first.calls, '5')]
    await expect(collect(modelOf('kimi-k2.6'), { ...options, prompt: without })).rejects.toMatchObject({
      statusCode: 400,
      message: 'thinking is enabled but reasoning_content is missing in assistant tool call message at index 1',
    })
    expect((await collect(modelOf('kimi-k2-0905-preview'), { ...options, prompt: without })).text).toBe('Done.')
  })

  test('a valid chat gets its answer, also with settings that are unknown', async () => {
    const { status, body } = await post(stub, '/chat/completions', { ...VALID_KIMI, num_ctx: 5 })
    expect([status, body.choices]).toMatchObject([200, [{ message: { content: 'Done.' }, finish_reason: 'stop' }]])
  })

  test('errors have the form of Moonshot', async () => {
    const unknown = await post(stub, '/chat/completions', { ...VALID_KIMI, model: 'kimi-k9' })
    expect(unknown.body.error).toEqual({
      type: 'resource_not_found_error',
      message: 'Not found the model kimi-k9 or Permission denied',
    })
    const wrongKey = collect(modelOf('kimi-k3', 'wrong'), { prompt: [said('Hi.')] })
    await expect(wrongKey).rejects.toMatchObject({ statusCode: 401, message: 'Invalid Authentication' })
  })

  test('the models are listed', async () => {
    const { body } = await get(stub, '/models', { authorization: `Bearer ${stub.key}` })
    expect(body.data[0]).toMatchObject({ id: 'kimi-k3', context_length: 262_144 })
  })

  test.each(BROKEN_KIMI)('refuses %s', async (_, body, text) => {
    const { status, body: refused } = await post(stub, '/chat/completions', body)
    const message = typeof text === 'string' ? text : expect.stringMatching(text)
    expect([status, refused]).toEqual([400, { error: { type: 'invalid_request_error', message } }])
  })
})
