import { createOpenAI } from '@ai-sdk/openai'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { post } from '../broken.ts'
import { type Collected, collect, ROLL, results, said } from '../collect.ts'
import type { Json } from '../shape.ts'
import type { Stub } from '../stub.ts'
import { BROKEN_RESPONSES, VALID_RESPONSE } from './broken-responses.ts'
import { startOpenAi } from './stub.ts'

let stub: Stub
beforeAll(async () => {
  stub = await startOpenAi()
})
afterAll(() => stub.close())

const THINKING = { reasoning: 'They want dice.', calls: [{ name: 'roll', arguments: { sides: 6 } }, { name: 'roll' }] }

/** A turn with thinking and two calls, then the next one with their results. */
async function twoTurns(store: boolean): Promise<{ first: Collected; second: Collected }> {
  stub.add(THINKING, { text: '5 and 5.' })
  const model = createOpenAI({ baseURL: stub.url, apiKey: stub.key }).responses('gpt-5-mini')
  const providerOptions = {
    openai: { store, reasoningSummary: 'auto', include: store ? [] : ['reasoning.encrypted_content'] },
  }
  const options: Json = { prompt: [said('Roll twice.')], tools: [ROLL], providerOptions }
  const first = await collect(model, options)
  const prompt = [...options.prompt, { role: 'assistant', content: first.content }, results(first.calls, '5')]
  return { first, second: await collect(model, { ...options, prompt }) }
}

describe('responses of OpenAI', () => {
  test.each([true, false])('thinking and calls are accepted when they come back: stored %s', async (store) => {
    const { first, second } = await twoTurns(store)
    expect(first).toMatchObject({ reasoning: 'They want dice.', finish: { unified: 'tool-calls' }, errors: [] })
    expect(first.calls.map(({ input }) => input)).toEqual(['{"sides":6}', '{}'])
    expect(second).toMatchObject({ text: '5 and 5.', finish: { unified: 'stop' }, errors: [] })
  })

  test('thinking without what followed it is refused, and what followed it without the thinking', async () => {
    await twoTurns(false)
    const { input, ...rest } = stub.requests.at(-1)!.body
    const [question, thought, ...behind] = input
    const refusal = async (...items: Json[]) =>
      (await post(stub, '/responses', { ...rest, stream: false, input: items })).body.error?.message
    expect(await refusal(question, thought, question)).toBe(
      `Item '${thought.id}' of type 'reasoning' was provided without its required following item.`,
    )
    const withIds = behind.map((item: Json, at: number) =>
      item.type === 'function_call' && at === 0
        ? {
            ...item,
            id: thought.id.replace(
              /^rs_(\d+)$/,
              (_: string, n: string) => `fc_${String(Number(n) + 1).padStart(n.length, '0')}`,
            ),
          }
        : item,
    )
    expect(await refusal(question, ...withIds)).toMatch(
      /^Item 'fc_\d+' of type 'function_call' was provided without its required 'reasoning' item: 'rs_\d+'\.$/,
    )
    expect(await refusal(question, { ...thought, encrypted_content: 'AAAA' }, ...behind)).toMatch(
      /^The encrypted content AAAA could not be verified/,
    )
    expect(await refusal(question, thought, ...withIds)).toBeUndefined()
  })

  test('a valid request without a stream gets its response', async () => {
    stub.add({ text: 'Hi.', stop: 'length' })
    const { status, body } = await post(stub, '/responses', VALID_RESPONSE)
    expect(status).toBe(200)
    expect(body).toMatchObject({ status: 'incomplete', output: [{ type: 'message', content: [{ text: 'Hi.' }] }] })
  })

  test.each(BROKEN_RESPONSES)('refuses %s', async (_, body, message) => {
    const { status, body: refused } = await post(stub, '/responses', body)
    expect([status, refused.error]).toEqual([
      400,
      expect.objectContaining({
        type: 'invalid_request_error',
        message: typeof message === 'string' ? message : expect.stringMatching(message),
      }),
    ])
  })
})
