import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ROLL, results, said } from '../../test/models/collect.ts'
import { startOpenAi } from '../../test/models/openai/stub.ts'
import type { Quirk } from '../../test/models/quirks/quirks.ts'
import { type LocalServer, startLocalServer } from '../../test/models/quirks/stub.ts'
import { callModel, type ModelCall } from './call-model.ts'
import { openLanguageModel } from './language-model.ts'
import type { ModelDelta, ModelOutput } from './model-output.ts'
import { callSettings } from './settings.ts'

let server: LocalServer
beforeAll(async () => {
  server = await startLocalServer()
})
afterAll(() => server.close())

const NO_PAUSES = [0, 0]

async function call(options: Partial<ModelCall> = {}): Promise<{ deltas: ModelDelta[]; output: ModelOutput }> {
  const model = await openLanguageModel({ name: 'local', type: 'vllm', url: server.url, fetch }, 'local')
  const deltas: ModelDelta[] = []
  const answer = callModel(model, { prompt: [said('Roll.')], tools: [ROLL], ...options }, NO_PAUSES)
  for (;;) {
    const { done, value } = await answer.next()
    if (done) return { deltas, output: value }
    deltas.push(value)
  }
}

const ROLLS = {
  reasoning: 'Two dice it is.',
  text: 'I roll.',
  calls: [
    { name: 'roll', arguments: { sides: 6 } },
    { name: 'roll', arguments: { sides: 20 } },
  ],
}

const calls = ({ parts }: ModelOutput) => parts.flatMap((part) => (part.type === 'tool-call' ? part : []))
const texts = ({ parts }: ModelOutput) =>
  parts.flatMap((part) => (part.type === 'tool-call' ? [] : [part.type, part.text]))

describe('a local server with its own ways', () => {
  test.each<Quirk>([
    'stop with calls',
    'arguments as an object',
    'same index',
    'duplicate ids',
    'missing ids',
    'no finish reason',
    'reasoning field',
    'error amid the stream',
    'crlf and comments',
    'empty choices',
    'no usage',
    'usage in every chunk',
  ])('is understood: %s', async (quirk) => {
    server.be(quirk)
    server.add(ROLLS)
    const { output } = await call()
    expect(calls(output).map(({ input }) => JSON.parse(input))).toEqual([{ sides: 6 }, { sides: 20 }])
    expect(new Set(calls(output).map(({ toolCallId }) => toolCallId)).size).toBe(2)
    expect(texts(output)).toEqual(['reasoning', 'Two dice it is.', 'text', 'I roll.'])
  })

  test.each<Quirk>(['think tags', 'think without opening'])('thinks in its text: %s', async (quirk) => {
    server.be(quirk)
    server.add(ROLLS, ROLLS)
    const { output } = await call({ thinkTags: true })
    expect(texts(output)).toEqual(['reasoning', 'Two dice it is.', 'text', 'I roll.'])
    expect(texts((await call()).output)).toEqual(['text', expect.stringContaining('</think>')])
  })

  test('streams what it thinks between tags as reasoning', async () => {
    server.be('think tags')
    server.add(ROLLS)
    const { deltas } = await call({ thinkTags: true })
    const joined = (type: string) =>
      deltas.flatMap((delta) => (delta.type === type && 'delta' in delta ? delta.delta : [])).join('')
    expect([joined('reasoning').trim(), joined('text')]).toEqual(['Two dice it is.', 'I roll.'])
  })

  test('gives an id to a call that an earlier call has: it gets another one, in its deltas too', async () => {
    server.be()
    server.add({ calls: [{ name: 'roll', id: 'call_0', arguments: { sides: 6 } }] })
    const earlier = { type: 'tool-call', toolCallId: 'call_0', toolName: 'roll', input: {} } as const
    const returns = results([{ id: 'call_0', name: 'roll', input: '', metadata: undefined }], '4')
    const { output, deltas } = await call({
      prompt: [said('Roll.'), { role: 'assistant', content: [earlier] }, returns],
    })
    const { toolCallId } = calls(output)[0]!
    expect(toolCallId).not.toBe('call_0')
    expect(deltas.flatMap((delta) => (delta.type === 'call' ? delta.id : []))).toEqual([toolCallId])
  })

  test('fails with its own words, though it says 200', async () => {
    server.be('error as json')
    const requests = server.requests.length
    await expect(call()).rejects.toMatchObject({ type: 'llm_error', detail: expect.stringContaining('has crashed') })
    expect(server.requests.length - requests).toBe(3)
  })
})

test('a call without tools says nothing of parallel calls, which OpenAI refuses', async () => {
  const stub = await startOpenAi()
  const connection = { name: 'openai', type: 'openai' as const, url: stub.url, apiKey: stub.key, fetch }
  const model = await openLanguageModel(connection, 'gpt-4o-mini')
  const pieces = callModel(model, { prompt: [said('Hi.')], ...callSettings({}, {}, false) }, NO_PAUSES)
  expect((await Array.fromAsync(pieces)).length).toBeGreaterThan(0)
  await stub.close()
})

describe('a call that fails', () => {
  test.each([
    [429, 'llm_rate_limit', 3],
    [503, 'llm_error', 3],
    [529, 'llm_overloaded', 3],
    [400, 'llm_bad_request', 1],
    [401, 'llm_authentication', 1],
    [402, 'llm_insufficient_credits', 1],
    [504, 'llm_timeout', 1],
  ])('with %i is %s, after %i requests', async (status, type, times) => {
    server.be()
    const error = { status, message: 'Said by the provider.' }
    server.add(...Array.from({ length: times }, () => ({ error })))
    const requests = server.requests.length
    await expect(call()).rejects.toMatchObject({ type, detail: `${status}: Said by the provider.` })
    expect(server.requests.length - requests).toBe(times)
  })

  test('once is repeated, and its answer comes', async () => {
    server.be()
    server.add({ error: { status: 503 } }, { text: 'Here.' })
    expect(texts((await call()).output)).toEqual(['text', 'Here.'])
  })

  test('amid its answer is not repeated', async () => {
    server.be('cut connection')
    server.add({ text: 'A long answer, of which the end is missing.' })
    const requests = server.requests.length
    await expect(call()).rejects.toMatchObject({ type: 'llm_error' })
    expect(server.requests.length - requests).toBe(1)
  })
})
