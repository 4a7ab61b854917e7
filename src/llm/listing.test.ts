import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { ANTHROPIC_KEY, OVERLOADED, startAnthropic } from '../../test/stand-ins/anthropic.ts'
import { AZURE_KEY, startAzure } from '../../test/stand-ins/azure.ts'
import { GOOGLE_KEY, startGoogle } from '../../test/stand-ins/google.ts'
import { MISTRAL_KEY, startMistral } from '../../test/stand-ins/mistral.ts'
import { startOllama } from '../../test/stand-ins/ollama.ts'
import { startTogether, TOGETHER_KEY } from '../../test/stand-ins/together.ts'
import type { Answer, Server } from '../../test/stand-ins/wire.ts'
import { createEgress } from '../lib/egress.ts'
import { apiUrl, type ProviderType } from '../lib/provider-types.ts'
import { type Connection, isFinal, ProviderError } from './connection.ts'
import type { ListedModel } from './listed-model.ts'
import { checkCredentials, listModels } from './listing.ts'

const egress = createEgress(['loopback'])
afterAll(() => egress.close())

interface Case {
  provider: string
  type: ProviderType
  start: () => Promise<Server>
  base: string
  key: string
  /** The only header the key may be in. */
  header: string
  models: ListedModel[]
}

const CASES: Case[] = [
  {
    provider: 'Anthropic',
    type: 'anthropic',
    start: startAnthropic,
    base: '/v1',
    key: ANTHROPIC_KEY,
    header: 'x-api-key',
    models: [
      {
        model_type: 'llm',
        name: 'claude-opus-4-6',
        display_name: 'Claude Opus 4.6',
        context_window: 1_000_000,
        max_output_tokens: 128_000,
      },
      // Of older models it doesn't tell the window.
      {
        model_type: 'llm',
        name: 'claude-haiku-4-5-20251001',
        display_name: 'Claude Haiku 4.5',
        context_window: 200_000,
      },
    ],
  },
  {
    provider: 'Google AI',
    type: 'google_ai',
    start: startGoogle,
    base: '/v1beta',
    key: GOOGLE_KEY,
    header: 'x-goog-api-key',
    models: [
      {
        model_type: 'llm',
        name: 'gemini-2.5-pro',
        display_name: 'Gemini 2.5 Pro',
        context_window: 1_048_576,
        max_output_tokens: 65_536,
      },
      {
        model_type: 'embedding',
        name: 'gemini-embedding-001',
        display_name: 'Gemini Embedding 001',
        context_window: 2048,
        max_output_tokens: 1,
        embedding_dim: 3072,
      },
    ],
  },
  {
    provider: 'Mistral',
    type: 'mistral',
    start: startMistral,
    base: '/v1',
    key: MISTRAL_KEY,
    header: 'authorization',
    models: [
      {
        model_type: 'llm',
        name: 'mistral-large-latest',
        display_name: 'mistral-large-2411',
        context_window: 131_072,
      },
      { model_type: 'llm', name: 'codestral-2508', context_window: 256_000 },
      {
        model_type: 'embedding',
        name: 'mistral-embed',
        display_name: 'mistral-embed-2312',
        context_window: 8192,
        embedding_dim: 1024,
      },
      { model_type: 'embedding', name: 'codestral-embed', context_window: 8192, embedding_dim: 1536 },
    ],
  },
  {
    provider: 'Together',
    type: 'together',
    start: startTogether,
    base: '/v1',
    key: TOGETHER_KEY,
    header: 'authorization',
    models: [
      {
        model_type: 'llm',
        name: 'meta-llama/Llama-3.3-70B-Instruct-Turbo',
        display_name: 'Meta Llama 3.3 70B Instruct Turbo',
        context_window: 131_072,
      },
      {
        model_type: 'llm',
        name: 'meta-llama/Meta-Llama-3.1-8B-Reference',
        display_name: 'Meta Llama 3.1 8B',
        context_window: 16_384,
      },
      {
        model_type: 'embedding',
        name: 'intfloat/multilingual-e5-large-instruct',
        display_name: 'Multilingual E5 Large Instruct',
        context_window: 514,
        embedding_dim: 1024,
      },
    ],
  },
]

const connectionTo = (type: ProviderType, url: string, apiKey?: string): Connection => ({
  name: 'acme',
  type,
  url: apiUrl(type, url)!,
  apiKey,
  fetch: egress.fetch,
})

const ASKING = [
  ['for its models', listModels],
  ['whether it accepts the key', checkCredentials],
] as const

describe.each(CASES)('$provider', ({ type, start, base, key, header, models }) => {
  let server: Server
  beforeAll(async () => {
    server = await start()
  })
  afterEach(() => {
    server.asked.length = 0
    server.otherwise = () => undefined
  })
  afterAll(() => server.close())
  const connection = (apiKey?: string) => connectionTo(type, server.url + base, apiKey)

  test('lists the models that answer or embed texts, with what is known of them, each once', async () => {
    expect(await listModels(connection(key))).toEqual(models)
  })

  test('accepts its key', async () => {
    expect(await checkCredentials(connection(key))).toBe(true)
  })

  test.each(ASKING)('asked %s, is sent the key in the header it belongs in, and nowhere else', async (_, ask) => {
    await ask(connection(key))
    expect(server.asked).not.toEqual([])
    for (const { headers, path, text } of server.asked) {
      const holding = Object.entries(headers).filter(([, value]) => String(value).includes(key))
      expect(holding.map(([name]) => name)).toEqual([header])
      expect(path + text).not.toContain(key)
    }
  })

  describe.each(ASKING)('asked %s', (_, ask) => {
    const failure = (apiKey?: string) =>
      ask(connection(apiKey)).then(
        () => expect.unreachable(),
        (error) => error,
      )

    test.each([
      ['a wrong key', 'wrong-key'],
      ['no key', undefined],
    ])('says that %s is not accepted, and that asking again is of no use', async (_case, apiKey) => {
      const error = await failure(apiKey)
      expect(error).toBeInstanceOf(ProviderError)
      expect(error.message).toMatch(/^acme does not accept the API key \(it answers 40[13]\)\.$/)
      expect(error).toMatchObject({ key: true, status: 502 })
      expect(isFinal(error)).toBe(true)
    })

    test.each<[string, Answer, boolean]>([
      ['limits', { status: 429, body: { error: { message: 'Too many requests' } } }, false],
      ['is overloaded', OVERLOADED, false],
      ['refuses what is asked', { status: 400, body: { error: { message: 'Bad request' } } }, true],
    ])('that %s, says so and not that the key is wrong', async (_case, answer, final) => {
      server.otherwise = () => answer
      const error = await failure(key)
      expect(error.message).toContain(`${answer.status}`)
      expect(error).toMatchObject({ key: false })
      expect(isFinal(error)).toBe(final)
    })
  })
})

describe('Ollama', () => {
  let ollama: Server
  beforeAll(async () => {
    ollama = await startOllama()
  })
  afterEach(() => {
    ollama.asked.length = 0
    ollama.otherwise = () => undefined
  })
  afterAll(() => ollama.close())

  const NOMIC = { model_type: 'embedding', name: 'nomic-embed-text:latest', embedding_dim: 768 }

  test.each(['', '/', '/v1', '/api'])(
    'lists its models by what it tells of each, called by its root and "%s"',
    async (base) => {
      const connection = connectionTo('ollama', ollama.url + base)
      expect(await listModels(connection)).toEqual([
        { model_type: 'llm', name: 'llama3.2:latest', context_window: 131_072 },
        { model_type: 'llm', name: 'gpt-oss:20b', context_window: 131_072 },
        { ...NOMIC, context_window: 2048 },
        { model_type: 'embedding', name: 'granite-278m:latest', context_window: 512, embedding_dim: 384 },
      ])
      expect(await checkCredentials(connection)).toBe(true)
      expect(JSON.stringify(ollama.asked.map(({ headers }) => headers))).not.toContain('authorization')
    },
  )

  test('lists a model it tells nothing of by its name', async () => {
    ollama.otherwise = ({ path, body }) =>
      path === '/api/show' && body.model !== 'llama3.2:latest' ? { status: 500, body: { error: 'broken' } } : undefined
    expect(await listModels(connectionTo('ollama', ollama.url))).toEqual([
      { model_type: 'llm', name: 'llama3.2:latest', context_window: 131_072 },
      { model_type: 'llm', name: 'gpt-oss:20b' },
      NOMIC,
      { model_type: 'llm', name: 'granite-278m:latest' },
    ])
  })
})

describe('Azure OpenAI', () => {
  let azure: Server
  beforeAll(async () => {
    azure = await startAzure()
  })
  afterAll(() => azure.close())

  test('is asked whether it accepts the key, in a version of its API, and has no models of its own', async () => {
    const connection = connectionTo('azure', azure.url, AZURE_KEY)
    expect(await checkCredentials(connection)).toBe(true)
    expect(await checkCredentials({ ...connection, apiVersion: '2025-04-01-preview' })).toBe(true)
    await expect(checkCredentials({ ...connection, apiKey: 'wrong' })).rejects.toMatchObject({ key: true })
    expect(azure.asked.map(({ path, headers }) => [path, headers['api-key'], headers.authorization])).toEqual([
      ['/openai/models?api-version=2024-10-21', AZURE_KEY, undefined],
      ['/openai/models?api-version=2025-04-01-preview', AZURE_KEY, undefined],
      ['/openai/models?api-version=2024-10-21', 'wrong', undefined],
    ])
    expect(await listModels(connection)).toEqual([])
    expect(azure.asked).toHaveLength(3)
  })
})

test.each<[ProviderType, ListedModel]>([
  ['bedrock', { model_type: 'embedding', name: 'amazon.titan-embed-text-v2:0', embedding_dim: 1024 }],
  ['google_vertex', { model_type: 'embedding', name: 'text-embedding-005', embedding_dim: 768 }],
])('of %s, which lists nothing, the known models are told without asking it', async (type, model) => {
  const asked: unknown[] = []
  const fetch: Connection['fetch'] = (...call) => {
    asked.push(call)
    return egress.fetch(...call)
  }
  const connection = { ...connectionTo(type, 'http://127.0.0.1:1', 'key'), fetch }
  expect(await listModels(connection)).toContainEqual(model)
  expect(await checkCredentials(connection)).toBe(false)
  expect(asked).toEqual([])
})
