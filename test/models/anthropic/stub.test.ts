import { createAnthropic } from '@ai-sdk/anthropic'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { get, post } from '../broken.ts'
import { collect, ROLL, results, said } from '../collect.ts'
import type { Json } from '../shape.ts'
import type { Stub } from '../stub.ts'
import { BROKEN_MESSAGES, VALID_MESSAGES } from './broken-messages.ts'
import { startAnthropic } from './stub.ts'

let stub: Stub
beforeAll(async () => {
  stub = await startAnthropic()
})
afterAll(() => stub.close())

const modelOf = (apiKey = stub.key) => createAnthropic({ baseURL: stub.url, apiKey })('claude-sonnet-4-5')
const headers = () => ({ 'x-api-key': stub.key, 'anthropic-version': '2023-06-01' })
const message = (body: Json) => post(stub, '/messages', body, headers())

describe('messages of Anthropic', () => {
  test('thinking, text and parallel calls come in deltas, and are accepted when they come back', async () => {
    stub.add(
      {
        reasoning: 'They want dice.',
        text: 'I röll 🎲.',
        calls: [{ name: 'roll', arguments: { sides: 6 } }, { name: 'roll' }],
      },
      { text: '5 and 5.', usage: { input: 40, output: 9, cached: 16 } },
    )
    const providerOptions = { anthropic: { thinking: { type: 'enabled', budgetTokens: 1024 } } }
    const options: Json = { prompt: [said('Roll twice.')], tools: [ROLL], providerOptions }
    const first = await collect(modelOf(), options)
    expect(first).toMatchObject({
      reasoning: 'They want dice.',
      text: 'I röll 🎲.',
      finish: { unified: 'tool-calls' },
      errors: [],
    })
    expect(first.calls.map(({ input }) => input)).toEqual(['{"sides":6}', '{}'])
    const prompt = [...options.prompt, { role: 'assistant', content: first.content }, results(first.calls, '5')]
    const second = await collect(modelOf(), { ...options, prompt })
    expect(second).toMatchObject({ text: '5 and 5.', finish: { unified: 'stop' }, errors: [] })
    expect(second.usage).toMatchObject({ inputTokens: { total: 40, cacheRead: 16 }, outputTokens: { total: 9 } })
    expect(stub.requests.at(-1)!.body.messages[1].content[0]).toEqual({
      type: 'thinking',
      thinking: 'They want dice.',
      signature: expect.stringMatching(/^[\w+/]{43}=$/),
    })
  })

  test('a valid request without a stream gets its message', async () => {
    stub.add({ text: 'Hi.', stop: 'length' })
    const { status, body } = await message(VALID_MESSAGES)
    expect([status, body]).toMatchObject([200, { content: [{ type: 'text', text: 'Hi.' }], stop_reason: 'max_tokens' }])
  })

  test('errors have the form of Anthropic', async () => {
    stub.add({ error: { status: 529, message: 'Overloaded' } })
    const { status, body } = await message(VALID_MESSAGES)
    expect([status, body]).toMatchObject([
      529,
      { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
    ])
    await expect(collect(modelOf('sk-ant-wrong'), { prompt: [said('Hi.')] })).rejects.toMatchObject({
      statusCode: 401,
      message: 'invalid x-api-key',
    })
  })

  test('the models are listed', async () => {
    const { body } = await get(stub, '/models?limit=1000', headers())
    expect(body.data.map(({ id }: Json) => id)).toContain('claude-sonnet-4-5')
  })

  test.each(BROKEN_MESSAGES)('refuses %s', async (_, body, text) => {
    const { status, body: refused } = await message(body)
    expect([status, refused]).toEqual([
      400,
      {
        type: 'error',
        error: {
          type: 'invalid_request_error',
          message: typeof text === 'string' ? text : expect.stringMatching(text),
        },
        request_id: expect.any(String),
      },
    ])
  })
})
