import { createOpenAI } from '@ai-sdk/openai'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { get, post } from '../broken.ts'
import { collect, ROLL, results, said } from '../collect.ts'
import type { Stub } from '../stub.ts'
import { BROKEN_CHATS, VALID_CHAT } from './broken-chats.ts'
import { startOpenAi } from './stub.ts'

let stub: Stub
beforeAll(async () => {
  stub = await startOpenAi()
})
afterAll(() => stub.close())

const modelOf = (key = stub.key) => createOpenAI({ baseURL: stub.url, apiKey: key }).chat('gpt-4o-mini')

describe('chat completions of OpenAI', () => {
  test('parallel calls come in deltas, and their results are accepted', async () => {
    stub.add(
      {
        text: 'I röll 🎲 twice.',
        calls: [
          { name: 'roll', arguments: { sides: 6 } },
          { name: 'roll', arguments: { sides: 20 } },
        ],
      },
      { text: '5 and 17.', usage: { input: 40, output: 9, cached: 16 } },
    )
    const options = { prompt: [said('Roll twice.')], tools: [ROLL] }
    const first = await collect(modelOf(), options)
    expect(first).toMatchObject({ text: 'I röll 🎲 twice.', finish: { unified: 'tool-calls' }, errors: [] })
    expect(first.calls.map(({ name, input }) => [name, JSON.parse(input)])).toEqual([
      ['roll', { sides: 6 }],
      ['roll', { sides: 20 }],
    ])
    const prompt = [...options.prompt, { role: 'assistant', content: first.content }, results(first.calls, '5')]
    const second = await collect(modelOf(), { ...options, prompt: prompt as never })
    expect(second).toMatchObject({ text: '5 and 17.', finish: { unified: 'stop' } })
    expect(second.usage).toMatchObject({ inputTokens: { total: 40, cacheRead: 16 }, outputTokens: { total: 9 } })
  })

  test('an answer can be cut at the limit, fail, or break off', async () => {
    stub.add(
      { text: 'Once upon a', stop: 'length' },
      { error: { status: 429, retryAfter: 2 } },
      { text: 'Half of it', cutAfter: 3 },
    )
    const options = { prompt: [said('Hi.')] }
    expect((await collect(modelOf(), options)).finish.unified).toBe('length')
    await expect(collect(modelOf(), options)).rejects.toMatchObject({
      statusCode: 429,
      responseHeaders: { 'retry-after': '2' },
    })
    await expect(collect(modelOf(), options)).rejects.toThrow()
    expect(await stub.requests.at(-1)!.closed).toBe(false)
  })

  test('an answer without a stream has the same content', async () => {
    stub.add({ text: 'Hi.', calls: [{ name: 'roll', id: 'call_x' }] })
    const { body } = await post(stub, '/chat/completions', VALID_CHAT)
    expect(body.choices[0]).toMatchObject({
      finish_reason: 'tool_calls',
      message: { content: 'Hi.', tool_calls: [{ id: 'call_x', function: { name: 'roll', arguments: '{}' } }] },
    })
  })

  test('the models are listed for the right key only', async () => {
    const list = (key: string) => get(stub, '/models', { authorization: `Bearer ${key}` })
    expect((await list(stub.key)).body.data[0]).toMatchObject({ id: 'gpt-5-mini', object: 'model' })
    const refused = await list('sk-something-wrong')
    expect([refused.status, refused.body.error]).toEqual([
      401,
      expect.objectContaining({
        code: 'invalid_api_key',
        message: expect.stringMatching(/^Incorrect API key provided: sk-s/),
      }),
    ])
    await expect(collect(modelOf('sk-something-wrong'), { prompt: [said('Hi.')] })).rejects.toMatchObject({
      statusCode: 401,
    })
  })

  test.each(BROKEN_CHATS)('refuses %s', async (_, body, message) => {
    const { status, body: refused } = await post(stub, '/chat/completions', body)
    expect([status, refused.error]).toEqual([
      400,
      expect.objectContaining({
        type: 'invalid_request_error',
        message: typeof message === 'string' ? message : expect.stringMatching(message),
      }),
    ])
    expect(stub.requests.at(-1)!.refused).toBe(refused.error.message)
  })
})
