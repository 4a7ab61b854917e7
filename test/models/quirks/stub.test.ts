import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { collect, ROLL, said } from '../collect.ts'
import type { Json } from '../shape.ts'
import { QUIRKS, type Quirk } from './quirks.ts'
import { type LocalServer, startLocalServer } from './stub.ts'

let server: LocalServer
beforeAll(async () => {
  server = await startLocalServer({
    answers: () => ({
      reasoning: 'Two dice it is.',
      text: 'I roll.',
      calls: [
        { name: 'roll', arguments: { sides: 6 } },
        { name: 'roll', arguments: { sides: 20 } },
      ],
    }),
  })
})
afterAll(() => server.close())

const body = JSON.stringify({
  model: 'local',
  stream: true,
  stream_options: { include_usage: true },
  messages: [{ role: 'user', content: 'Roll.' }],
})
const ask = (...quirks: Quirk[]) => {
  server.be(...quirks)
  return fetch(`${server.url}/chat/completions`, { method: 'POST', body })
}

/** What the events of a stream say. */
function read(text: string) {
  const chunks: Json[] = [...text.matchAll(/^data: (\{.*\})/gm)].map(([, json]) => JSON.parse(json!))
  const choices = chunks.flatMap((chunk) => chunk.choices ?? [])
  const deltas: Json[] = choices.map(({ delta }) => delta)
  const calls: Json[] = deltas.flatMap((delta) => delta.tool_calls ?? [])
  const joined = (field: string) => deltas.map((delta) => delta[field] ?? '').join('')
  return {
    chunks,
    calls,
    content: joined('content'),
    reasoning: joined('reasoning'),
    reasoning_content: joined('reasoning_content'),
    finish: choices.map(({ finish_reason }) => finish_reason).filter(Boolean),
    errors: chunks.filter(({ error }) => error).length,
    usages: chunks.filter(({ usage }) => usage).length,
    done: text.trimEnd().endsWith('data: [DONE]'),
  }
}

/** What shows each quirk. */
const SHOWN: Record<Quirk, (stream: ReturnType<typeof read>, text: string) => void> = {
  'stop with calls': ({ finish, calls }) => expect([finish, calls[0].function.name]).toEqual([['stop'], 'roll']),
  'empty arguments': ({ calls }) =>
    expect(new Set(calls.map((call) => call.function.arguments))).toEqual(new Set([''])),
  'arguments as an object': ({ calls }) =>
    expect(calls.map((call) => call.function.arguments)).toEqual([{ sides: 6 }, { sides: 20 }]),
  'cut arguments': ({ calls, finish }) => {
    expect(calls.map((call) => call.function.arguments)).toEqual(['{"side', '{"side'])
    expect(finish).toEqual(['length'])
  },
  'same index': ({ calls }) =>
    expect(calls.map(({ index, id }) => [index, typeof id])).toEqual([
      [0, 'string'],
      [0, 'string'],
    ]),
  'duplicate ids': ({ calls }) => expect(calls.flatMap(({ id }) => id ?? [])).toEqual(['call_0', 'call_0']),
  'missing ids': ({ calls }) => expect(calls.flatMap(({ id }) => id ?? [])).toEqual([]),
  'no finish reason': ({ finish, done }) => expect([finish, done]).toEqual([[], false]),
  'error as json': (_, text) => expect(JSON.parse(text).error.type).toBe('server_error'),
  'error amid the stream': ({ errors, finish, chunks }) => {
    expect([errors, finish]).toEqual([1, ['tool_calls']])
    expect(chunks.at(-1).error).toBeUndefined()
  },
  'think tags': ({ content }) => expect(content).toBe('<think>\nTwo dice it is.\n</think>\n\nI roll.'),
  'think without opening': ({ content }) => expect(content).toBe('Two dice it is.\n</think>\n\nI roll.'),
  'reasoning field': ({ reasoning, reasoning_content }) =>
    expect([reasoning, reasoning_content]).toEqual(['Two dice it is.', '']),
  'cut connection': () => {},
  'crlf and comments': (_, text) => expect(text).toMatch(/^: PROCESSING\r\n\r\ndata: .*\r\n\r\n: PROCESSING/),
  'empty choices': ({ chunks }) => expect([chunks[0].choices, 'choices' in chunks[2]]).toEqual([[], false]),
  'no usage': ({ usages, done }) => expect([usages, done]).toEqual([0, true]),
  'usage in every chunk': ({ usages, chunks }) => expect(usages).toBe(chunks.length),
}

describe('a server of local models', () => {
  test('without quirks its stream is that of OpenAI', async () => {
    server.be()
    const model = createOpenAICompatible({ name: 'local', baseURL: server.url }).chatModel('local')
    const { calls, ...answer } = await collect(model, { prompt: [said('Roll.')], tools: [ROLL] })
    expect(answer).toMatchObject({ reasoning: 'Two dice it is.', text: 'I roll.', finish: { unified: 'tool-calls' } })
    expect(calls.map(({ input }) => JSON.parse(input))).toEqual([{ sides: 6 }, { sides: 20 }])
  })

  test.each((Object.keys(QUIRKS) as Quirk[]).filter((quirk) => quirk !== 'cut connection'))('%s', async (quirk) => {
    const response = await ask(quirk)
    expect(response.status).toBe(200)
    const text = await response.text()
    SHOWN[quirk](read(text), text)
  })

  test('the connection breaks amid the stream', async () => {
    const response = await ask('cut connection')
    await expect(response.text()).rejects.toThrow('terminated')
  })

  test('a response is held until the test lets it go', async () => {
    const release = server.hold()
    let arrived = false
    const response = ask().then((one) => {
      arrived = true
      return one
    })
    const requests = server.requests.length
    await expect.poll(() => server.requests.length).toBe(requests + 1)
    expect(arrived).toBe(false)
    release()
    expect(read(await (await response).text()).done).toBe(true)
  })

  test('quirks go together', async () => {
    const { calls, finish, content } = read(
      await (await ask('think tags', 'same index', 'missing ids', 'stop with calls')).text(),
    )
    expect(calls.map(({ index, id }) => [index, id])).toEqual([
      [0, undefined],
      [0, undefined],
    ])
    expect([finish, content.slice(0, 7)]).toEqual([['stop'], '<think>'])
  })
})
