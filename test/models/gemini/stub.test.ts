import { createGoogleGenerativeAI } from '@ai-sdk/google'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { get, post } from '../broken.ts'
import { collect, ROLL, results, said } from '../collect.ts'
import type { Json } from '../shape.ts'
import type { Stub } from '../stub.ts'
import { BROKEN_CONTENTS, VALID_CONTENTS } from './broken-contents.ts'
import { startGemini } from './stub.ts'

let stub: Stub
beforeAll(async () => {
  stub = await startGemini()
})
afterAll(() => stub.close())

const modelOf = (model: string, apiKey = stub.key) => createGoogleGenerativeAI({ baseURL: stub.url, apiKey })(model)
const generate = (body: Json, call = 'generateContent') =>
  post(stub, `/models/gemini-3-pro-preview:${call}`, body, { 'x-goog-api-key': stub.key })

describe('generateContent of Gemini', () => {
  test.each(['gemini-3-pro-preview', 'gemini-2.5-flash'])(
    'signed thinking of %s is accepted when it comes back',
    async (name) => {
      stub.add(
        {
          reasoning: 'They want dice.',
          text: 'I röll 🎲.',
          calls: [{ name: 'roll', arguments: { sides: 6 } }, { name: 'roll' }],
        },
        { text: '5 and 5.', usage: { input: 40, output: 9, cached: 16, reasoning: 4 } },
        { text: 'Bye.' },
      )
      const options: Json = { prompt: [said('Roll twice.')], tools: [ROLL] }
      const first = await collect(modelOf(name), options)
      expect(first).toMatchObject({
        reasoning: 'They want dice.',
        text: 'I röll 🎲.',
        finish: { unified: 'tool-calls' },
        errors: [],
      })
      expect(first.calls.map(({ input }) => input)).toEqual(['{"sides":6}', '{}'])
      expect(first.calls.map(({ metadata }) => typeof metadata?.google?.thoughtSignature)).toEqual([
        'string',
        'undefined',
      ])
      const prompt = [...options.prompt, { role: 'assistant', content: first.content }, results(first.calls, '5')]
      const second = await collect(modelOf(name), { ...options, prompt })
      expect(second).toMatchObject({ text: '5 and 5.', finish: { unified: 'stop' }, errors: [] })
      expect(second.usage).toMatchObject({
        inputTokens: { total: 40, cacheRead: 16 },
        outputTokens: { total: 9, reasoning: 4 },
      })
      const third = [...prompt, { role: 'assistant', content: second.content }, said('Bye.')]
      expect((await collect(modelOf(name), { ...options, prompt: third })).text).toBe('Bye.')
    },
  )

  test('a valid request gets its response, in one piece or as a list', async () => {
    stub.add({ text: 'Hello, world.', stop: 'length' }, { text: 'Hello, world.' })
    const whole = await generate(VALID_CONTENTS)
    expect([whole.status, whole.body.candidates]).toMatchObject([
      200,
      [{ content: { parts: [{ text: 'Hello, world.' }, {}] }, finishReason: 'MAX_TOKENS' }],
    ])
    const { body: list } = await generate(VALID_CONTENTS, 'streamGenerateContent')
    expect(list.map(({ candidates }: Json) => candidates[0].content.parts[0].text).join('')).toBe('Hello, world.')
  })

  test('errors have the form of Google', async () => {
    stub.add({ error: { status: 503, message: 'The model is overloaded. Please try again later.' } })
    expect((await generate(VALID_CONTENTS)).body).toEqual({
      error: { code: 503, status: 'UNAVAILABLE', message: 'The model is overloaded. Please try again later.' },
    })
    const wrongKey = collect(modelOf('gemini-2.5-pro', 'wrong'), { prompt: [said('Hi.')] })
    await expect(wrongKey).rejects.toMatchObject({
      statusCode: 400,
      message: 'API key not valid. Please pass a valid API key.',
    })
    const unknown = collect(modelOf('gemini-1'), { prompt: [said('Hi.')] })
    await expect(unknown).rejects.toMatchObject({
      statusCode: 404,
      message: expect.stringMatching(/^models\/gemini-1 is not found/),
    })
  })

  test('the models are listed', async () => {
    const { body } = await get(stub, '/models?pageSize=1000', { 'x-goog-api-key': stub.key })
    expect(body.models[0]).toMatchObject({ name: 'models/gemini-3-pro-preview', inputTokenLimit: 1_048_576 })
  })

  test.each(BROKEN_CONTENTS)('refuses %s', async (_, body, text) => {
    const { status, body: refused } = await generate(body)
    const message = typeof text === 'string' ? text : expect.stringMatching(text)
    expect([status, refused]).toEqual([400, { error: { code: 400, status: 'INVALID_ARGUMENT', message } }])
  })
})
