import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { AZURE_KEY, RATE_LIMITED, startAzure } from '../../test/stand-ins/azure.ts'
import * as bedrock from '../../test/stand-ins/bedrock.ts'
import { EXHAUSTED, GOOGLE_KEY, startGoogle, startVertex } from '../../test/stand-ins/google.ts'
import { CAPACITY, MISTRAL_KEY, startMistral } from '../../test/stand-ins/mistral.ts'
import { startOllama } from '../../test/stand-ins/ollama.ts'
import { vectorOf } from '../../test/stand-ins/openai.ts'
import { RATE, startTogether, TOGETHER_KEY } from '../../test/stand-ins/together.ts'
import type { Answer, Asked, Server } from '../../test/stand-ins/wire.ts'
import { createEgress } from '../lib/egress.ts'
import { apiUrl, type ProviderType } from '../lib/provider-types.ts'
import { type Connection, isFinal, ProviderError } from '../llm/connection.ts'
import { createRemoteEmbedder, measureDimension } from './remote.ts'

const egress = createEgress(['loopback'])
afterAll(() => egress.close())

/** A provider as its owner sets it up, and what is true of its wire. */
interface Case {
  provider: string
  type: ProviderType
  start: () => Promise<Server>
  /** What its owner adds to the root of the server in the base URL. */
  base?: string
  keys: Partial<Connection>
  wrong: Partial<Connection>
  /** The only header the key may be in. */
  header: string
  model: string
  dimension: number
  /** Its own answer when it is asked too often. */
  limited: Answer
  texts: (asked: Asked) => number
}

const google = ({ body }: Asked): number => body.requests?.length ?? 1
const inputs = ({ body }: Asked): number => body.input.length

const { ACCESS_KEY, BEDROCK_KEY, REGION, SECRET, SESSION_TOKEN, TEMPORARY_KEY, THROTTLED, startBedrock } = bedrock

const BEDROCK = { type: 'bedrock', start: startBedrock, header: 'authorization', limited: THROTTLED } as const
const titan = { ...BEDROCK, model: 'amazon.titan-embed-text-v2:0', dimension: 1024, texts: () => 1 }

const CASES: Case[] = [
  {
    provider: 'Google AI',
    type: 'google_ai',
    start: startGoogle,
    base: '/v1beta/',
    keys: { apiKey: GOOGLE_KEY },
    wrong: { apiKey: 'AIzaSy-wrong' },
    header: 'x-goog-api-key',
    model: 'gemini-embedding-001',
    dimension: 3072,
    limited: EXHAUSTED,
    texts: google,
  },
  {
    provider: 'Google Vertex AI',
    type: 'google_vertex',
    start: startVertex,
    base: '/v1/publishers/google',
    keys: { apiKey: GOOGLE_KEY },
    wrong: { apiKey: 'AIzaSy-wrong' },
    header: 'x-goog-api-key',
    model: 'text-embedding-005',
    dimension: 768,
    limited: EXHAUSTED,
    texts: ({ body }) => body.instances.length,
  },
  {
    provider: 'Azure OpenAI',
    type: 'azure',
    start: startAzure,
    keys: { apiKey: AZURE_KEY },
    wrong: { apiKey: 'ffffffffffffffffffffffffffffffff' },
    header: 'api-key',
    model: 'our-vectors',
    dimension: 1536,
    limited: RATE_LIMITED,
    texts: inputs,
  },
  {
    provider: 'Mistral',
    type: 'mistral',
    start: startMistral,
    base: '/v1',
    keys: { apiKey: MISTRAL_KEY },
    wrong: { apiKey: 'mistral-wrong-key' },
    header: 'authorization',
    model: 'mistral-embed',
    dimension: 1024,
    limited: CAPACITY,
    texts: inputs,
  },
  {
    provider: 'Together',
    type: 'together',
    start: startTogether,
    base: '/v1',
    keys: { apiKey: TOGETHER_KEY },
    wrong: { apiKey: 'tgp_v1_wrong' },
    header: 'authorization',
    model: 'intfloat/multilingual-e5-large-instruct',
    dimension: 1024,
    limited: RATE,
    texts: inputs,
  },
  {
    ...titan,
    provider: 'Bedrock with a key of its own',
    keys: { apiKey: BEDROCK_KEY },
    wrong: { apiKey: 'bedrock-api-key-wrong' },
  },
  {
    ...titan,
    provider: 'Bedrock with the key of an account',
    keys: { accessKey: ACCESS_KEY, apiKey: SECRET, region: REGION },
    wrong: { apiKey: 'wrong/secret+of/an+account' },
  },
  {
    ...titan,
    provider: 'Bedrock with a key that holds for a time',
    keys: { accessKey: TEMPORARY_KEY, apiKey: SECRET, sessionToken: SESSION_TOKEN, region: REGION },
    wrong: { sessionToken: 'IQoJb3JpZ2luX2VjWrong==' },
  },
  {
    ...BEDROCK,
    provider: 'Cohere on Bedrock',
    keys: { accessKey: ACCESS_KEY, apiKey: SECRET, region: REGION },
    wrong: { accessKey: 'AKIAWRONGWRONGWRONG0' },
    model: 'cohere.embed-multilingual-v3',
    dimension: 1024,
    texts: ({ body }) => body.texts.length,
  },
]

const texts = (count: number) => Array.from({ length: count }, (_, n) => `text ${n}`)
const tooManyTexts = texts(110)

function setUp(it: Case, server: Server) {
  const url = apiUrl(it.type, `${server.url}${it.base ?? ''}`)!
  const connection = (change: Partial<Connection> = {}): Connection => ({
    name: 'acme',
    type: it.type,
    url,
    fetch: egress.fetch,
    ...it.keys,
    ...change,
  })
  const embedder = (change: Partial<Connection> & { model?: string; dimension?: number; batchSize?: number } = {}) => {
    const { model = it.model, dimension = it.dimension, batchSize, ...reach } = change
    return createRemoteEmbedder(connection(reach), { endpointType: it.type, model, dimension, batchSize }, [0, 0, 0])
  }
  return { connection, embedder }
}

describe.each(CASES)('embedding by $provider', (it) => {
  let server: Server
  let at: ReturnType<typeof setUp>
  beforeAll(async () => {
    server = await it.start()
    at = setUp(it, server)
  })
  afterEach(() => {
    server.asked.length = 0
    server.otherwise = () => undefined
  })
  afterAll(() => server.close())

  test('gives one vector for each text, in their order, in batches and of one text alone', async () => {
    const vectors = await at.embedder({ batchSize: 2 }).embed(texts(5), 'document')
    expect(vectors).toEqual(texts(5).map((text) => vectorOf(text, it.dimension)))
    expect(await at.embedder().embed(['alone'], 'query')).toEqual([vectorOf('alone', it.dimension)])
  })

  test('sends no more texts at once than the provider takes', async () => {
    const vectors = await at.embedder({ batchSize: 512 }).embed(tooManyTexts, 'document')
    expect(vectors).toEqual(tooManyTexts.map((text) => vectorOf(text, it.dimension)))
    expect(server.asked.reduce((sum, asked) => sum + it.texts(asked), 0)).toBe(tooManyTexts.length)
  })

  test('tells how many numbers the vectors have', async () => {
    const remote = { endpointType: it.type, model: it.model }
    expect(await measureDimension(at.connection(), remote)).toBe(it.dimension)
  })

  test('sends the key in the header it belongs in, and nowhere else', async () => {
    await at.embedder().embed(texts(2), 'document')
    // Of the key of an account, the name alone is sent.
    const { apiKey = '', accessKey } = it.keys
    const sent = accessKey ?? apiKey
    expect(server.asked).not.toEqual([])
    for (const { headers, path, text } of server.asked) {
      const holding = Object.entries(headers).filter(([, value]) => String(value).includes(sent))
      expect(holding.map(([name]) => name)).toEqual([it.header])
      expect(path + text).not.toContain(sent)
      if (accessKey) expect(JSON.stringify(headers) + path + text).not.toContain(apiKey)
    }
  })

  test('takes no key from the environment, whatever that holds', async () => {
    const operator = [
      'AWS_ACCESS_KEY_ID',
      'AWS_SECRET_ACCESS_KEY',
      'AWS_SESSION_TOKEN',
      'AWS_BEARER_TOKEN_BEDROCK',
      'AZURE_API_KEY',
      'GOOGLE_GENERATIVE_AI_API_KEY',
      'GOOGLE_VERTEX_API_KEY',
      'MISTRAL_API_KEY',
      'TOGETHER_API_KEY',
    ]
    const before = operator.map((name) => [name, process.env[name]] as const)
    for (const name of operator) process.env[name] = 'of-the-operator'
    try {
      expect(await at.embedder().embed(['a'], 'query')).toEqual([vectorOf('a', it.dimension)])
      await expect(at.embedder({ apiKey: '', accessKey: undefined }).embed(['a'], 'query')).rejects.toThrow('acme')
    } finally {
      for (const [name, value] of before) {
        if (value === undefined) delete process.env[name]
        else process.env[name] = value
      }
    }
    expect(JSON.stringify(server.asked)).not.toContain('of-the-operator')
  })

  test('says that a wrong key is not accepted, and does not ask again', async () => {
    const error = await at
      .embedder(it.wrong)
      .embed(['a'], 'document')
      .catch((thrown) => thrown)
    expect(error).toBeInstanceOf(ProviderError)
    expect(error).toMatchObject({ key: true, status: 502 })
    expect(error.message).toMatch(/^acme does not accept the API key \(it answers 40[13]\)\.$/)
    expect(isFinal(error)).toBe(true)
    expect(server.asked).toHaveLength(1)
  })

  test('says so when there is no such model, once', async () => {
    const error = await at
      .embedder({ model: 'none' })
      .embed(['a'], 'document')
      .catch((thrown) => thrown)
    expect(error.message).toMatch(/answers 40[04]/)
    expect(error).toMatchObject({ key: false })
    expect(isFinal(error)).toBe(true)
    expect(server.asked).toHaveLength(1)
  })

  test.each<[string, (it: Case) => Answer]>([
    ['it limits how often it is asked', ({ limited }) => limited],
    ['it is broken', () => ({ status: 500, body: { message: 'Internal server error' } })],
    ['it is overloaded', () => ({ status: 503, headers: { 'content-type': 'text/html' }, body: '<html>503' })],
  ])('asks again when %s, and then has the vectors', async (_, failure) => {
    let failures = 2
    server.otherwise = () => (failures-- > 0 ? failure(it) : undefined)
    expect(await at.embedder().embed(['a'], 'document')).toEqual([vectorOf('a', it.dimension)])
    expect(server.asked).toHaveLength(3)
  })

  test('gives up on limits in the end, in words that name them', async () => {
    server.otherwise = () => it.limited
    const error = await at
      .embedder()
      .embed(['a'], 'document')
      .catch((thrown) => thrown)
    expect(error.message).toBe('acme limits how often it is asked (it answers 429).')
    expect(isFinal(error)).toBe(false)
    expect(server.asked).toHaveLength(4)
  })
})

const caseOf = (provider: string) => CASES.find((one) => one.provider === provider)!

/** What is asked when a text is embedded, by a server that is there for this alone. */
async function askedBy(
  it: Case,
  embed: (at: ReturnType<typeof setUp>) => Promise<number[][]>,
): Promise<{ asked: Asked[]; vectors: number[][] }> {
  const server = await it.start()
  try {
    const vectors = await embed(setUp(it, server))
    return { asked: server.asked, vectors }
  } finally {
    await server.close()
  }
}

const QUERY_TASK = ['RETRIEVAL_QUERY', 'RETRIEVAL_DOCUMENT'] as const
const COHERE_TASK = ['search_query', 'search_document'] as const

test.each<[string, Partial<Case>, number, (body: Asked['body']) => unknown[], readonly [string, string]]>([
  ['Google AI', {}, 1, (body) => [body.taskType], QUERY_TASK],
  ['Google AI', {}, 3, (body) => body.requests.map((one: { taskType: string }) => one.taskType), QUERY_TASK],
  ['Google Vertex AI', {}, 2, (body) => body.instances.map((one: { task_type: string }) => one.task_type), QUERY_TASK],
  [
    'Google Vertex AI',
    { model: 'gemini-embedding-2', dimension: 3072 },
    1,
    (body) => [body.embedContentConfig.taskType],
    QUERY_TASK,
  ],
  ['Cohere on Bedrock', {}, 2, (body) => [body.input_type], COHERE_TASK],
  [
    'Cohere on Bedrock',
    { model: 'eu.cohere.embed-v4:0', dimension: 1536 },
    2,
    (body) => [body.input_type],
    COHERE_TASK,
  ],
])('%s is told whether a text is sought or found (%j, %i texts)', async (provider, change, count, said, tasks) => {
  const it = { ...caseOf(provider), ...change }
  for (const [n, purpose] of (['query', 'document'] as const).entries()) {
    const { asked } = await askedBy(it, ({ embedder }) => embedder().embed(texts(count), purpose))
    expect(new Set(asked.flatMap(({ body }) => said(body)))).toEqual(new Set([tasks[n]]))
  }
})

test.each<[string, string, number, number, (body: Asked['body']) => unknown]>([
  ['Google AI', 'gemini-embedding-001', 3072, 1, (body) => body.outputDimensionality],
  ['Google AI', 'gemini-embedding-001', 3072, 2, (body) => body.requests[1].outputDimensionality],
  ['Google Vertex AI', 'gemini-embedding-001', 3072, 1, (body) => body.parameters.outputDimensionality],
  ['Google Vertex AI', 'gemini-embedding-2', 3072, 1, (body) => body.embedContentConfig.outputDimensionality],
  ['Azure OpenAI', 'text-embedding-3-small', 1536, 1, (body) => body.dimensions],
])('%s is asked for fewer dimensions of %s, and only for fewer', async (provider, model, full, count, said) => {
  const it = { ...caseOf(provider), model }
  const shorter = await askedBy(it, ({ embedder }) => embedder({ dimension: 256 }).embed(texts(count), 'document'))
  expect(shorter.asked.map(({ body }) => said(body))).toEqual([256])
  expect(shorter.vectors).toEqual(texts(count).map((text) => vectorOf(text, 256)))
  const whole = await askedBy(it, ({ embedder }) => embedder({ dimension: full }).embed(texts(count), 'document'))
  expect(whole.asked.map(({ body }) => said(body))).toEqual([undefined])
})

test('Azure OpenAI is asked by the name of the deployment, in the version of its API that is set', async () => {
  const { asked } = await askedBy(caseOf('Azure OpenAI'), async ({ embedder }) => {
    await embedder({ apiVersion: '2025-04-01-preview' }).embed(['a'], 'query')
    return embedder().embed(['a'], 'query')
  })
  expect(asked.map(({ path }) => path)).toEqual([
    '/openai/deployments/our-vectors/embeddings?api-version=2025-04-01-preview',
    '/openai/deployments/our-vectors/embeddings?api-version=2024-10-21',
  ])
})

test('Ollama embeds without a key, called by its root', async () => {
  const server = await startOllama()
  try {
    const connection: Connection = {
      name: 'acme',
      type: 'ollama',
      url: apiUrl('ollama', server.url)!,
      fetch: egress.fetch,
    }
    const remote = { endpointType: 'ollama', model: 'nomic-embed-text', dimension: 768, batchSize: 2 }
    const vectors = await createRemoteEmbedder(connection, remote).embed(texts(3), 'document')
    expect(vectors).toEqual(texts(3).map((text) => vectorOf(text, 768)))
    expect(server.asked.map(({ headers }) => headers.authorization)).toEqual([undefined, undefined])
    const none = createRemoteEmbedder(connection, { ...remote, model: 'not-pulled' }).embed(['a'], 'document')
    await expect(none).rejects.toThrow(/answers 404/)
  } finally {
    await server.close()
  }
})
