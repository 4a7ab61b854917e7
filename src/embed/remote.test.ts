import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { KEY, LIMITED, type StandIn, startOpenAi, vectorOf } from '../../test/stand-ins/openai.ts'
import { createEgress } from '../lib/egress.ts'
import { createRemoteEmbedder } from './remote.ts'

let provider: StandIn
beforeAll(async () => {
  provider = await startOpenAi()
})
afterEach(() => {
  provider.asked.length = 0
  provider.otherwise = () => undefined
})
afterAll(() => provider.close())

const egress = createEgress(['loopback'], { headersMs: 300, bodyMs: 300 })
afterAll(() => egress.close())

/** An embedder of the stand-in that doesn't pause. */
const embedder = (
  change: { dimension?: number; model?: string; batchSize?: number; apiKey?: string; endpointType?: string } = {},
) => {
  const { dimension = 24, model = 'acme-embed', batchSize = 2, apiKey = KEY, endpointType = 'openai' } = change
  const connection = { name: 'acme', type: 'openai' as const, url: provider.url, apiKey, fetch: egress.fetch }
  return createRemoteEmbedder(connection, { endpointType, model, dimension, batchSize }, [0, 0, 0])
}

const texts = (count: number) => Array.from({ length: count }, (_, n) => `text ${n}`)

describe('embedding by a provider', () => {
  test.each([
    'openai',
    'ollama',
    'vllm',
    'lmstudio',
    'llamacpp',
    'koboldcpp',
    'webui',
    'hugging-face',
    'together',
    'mistral',
  ])('gives one vector for each text, in their order, in batches: %s', async (endpointType) => {
    const vectors = await embedder({ endpointType }).embed(texts(5), 'document')
    expect(vectors).toEqual(texts(5).map((text) => vectorOf(text, 24)))
    expect(provider.asked.map(({ body }) => body.input.length).sort()).toEqual([1, 2, 2])
    expect(new Set(provider.asked.map(({ headers }) => headers.authorization))).toEqual(new Set([`Bearer ${KEY}`]))
  })

  test('asks nothing for no texts', async () => {
    expect(await embedder().embed([], 'query')).toEqual([])
    expect(provider.asked).toEqual([])
  })

  test('asks for fewer dimensions where a model can give them', async () => {
    const [vector] = await embedder({ model: 'text-embedding-3-small', dimension: 256 }).embed(['a'], 'query')
    expect(vector).toHaveLength(256)
    expect(provider.asked[0]!.body.dimensions).toBe(256)
    await embedder({ model: 'text-embedding-3-small', dimension: 1536 }).embed(['a'], 'query')
    expect(provider.asked[1]!.body).not.toHaveProperty('dimensions')
  })

  test('has at most four batches under way', async () => {
    let [now, most] = [0, 0]
    const counting: typeof fetch = async (...call) => {
      most = Math.max(most, ++now)
      try {
        return await egress.fetch(...call)
      } finally {
        now--
      }
    }
    const connection = { name: 'acme', type: 'openai' as const, url: provider.url, apiKey: KEY, fetch: counting }
    const remote = { endpointType: 'openai', model: 'acme-embed', dimension: 24, batchSize: 1 }
    await createRemoteEmbedder(connection, remote).embed(texts(20), 'document')
    expect(most).toBe(4)
  })

  test.each([
    ['429', { status: 429, headers: { 'retry-after': '0' }, body: LIMITED }],
    ['500', { status: 500, body: { error: { message: 'The server had an error', type: 'server_error' } } }],
    ['a connection that is cut', 'cut' as const],
    ['no answer', 'never' as const],
  ])('is tried again after %s, and then succeeds', async (_, failure) => {
    let failures = 2
    provider.otherwise = () => (failures-- > 0 ? failure : undefined)
    expect(await embedder().embed(['a'], 'document')).toEqual([vectorOf('a', 24)])
    expect(provider.asked).toHaveLength(3)
  })

  test.each([
    ['401', { status: 401, body: {} }, /does not accept the API key/, 1],
    ['404', { status: 404, body: {} }, /answers 404/, 1],
    ['400', { status: 400, body: { error: { message: 'secret internals' } } }, /answers 400/, 1],
    ['503', { status: 503, body: 'down' }, /answers 503/, 4],
    ['a cut connection', 'cut' as const, /cannot be reached/, 4],
    ['a page', { status: 200, body: '<html>' }, /something else than vectors/, 1],
    ['another shape', { status: 200, body: { vectors: [] } }, /something else than vectors/, 1],
    ['too few vectors', { status: 200, body: { data: [] } }, /0 vectors for 1 texts/, 1],
    ['a wait of an hour', { status: 429, headers: { 'retry-after': '3600' }, body: LIMITED }, /limits how often/, 1],
    ['a redirect', { status: 307, headers: { location: 'http://127.0.0.1:1/' } }, /redirect/, 1],
  ])('fails with words of its own after %s', async (_, failure, words, times) => {
    provider.otherwise = () => failure
    const error = await embedder()
      .embed(['a'], 'document')
      .catch((thrown) => thrown)
    expect(error.message).toMatch(words)
    expect(error.message).toContain('acme')
    expect(error.status).toBe(error.code === 'invalid' ? 422 : 502)
    expect(error.message).not.toMatch(/sk-|secret internals/)
    expect(provider.asked).toHaveLength(times)
  })

  test('asks for a query once: whoever searches waits for it', async () => {
    provider.otherwise = () => ({ status: 503, body: 'down' })
    await expect(embedder().embed(['a'], 'query')).rejects.toThrow(/answers 503/)
    expect(provider.asked).toHaveLength(1)
  })

  test('fails when the vectors have another dimension, and says which', async () => {
    const error = embedder({ dimension: 12 }).embed(['a'], 'document')
    await expect(error).rejects.toThrow(/vectors of 24 dimensions for acme-embed, not of 12/)
  })

  test('ends when it is told to', async () => {
    provider.otherwise = () => 'never'
    const stop = new AbortController()
    const embedding = embedder().embed(texts(10), 'document', stop.signal)
    stop.abort(new Error('stopped'))
    await expect(embedding).rejects.toThrow('stopped')
  })

  test('without a key sends none, whatever the environment holds', async () => {
    process.env.OPENAI_API_KEY = 'sk-operator'
    try {
      for (const endpointType of ['openai', 'mistral', 'together', 'azure', 'google_ai']) {
        await embedder({ apiKey: '', endpointType })
          .embed(['a'], 'query')
          .catch(() => undefined)
      }
    } finally {
      delete process.env.OPENAI_API_KEY
    }
    expect(provider.asked.length).toBeGreaterThan(4)
    expect(JSON.stringify(provider.asked.map(({ headers }) => headers))).not.toMatch(/sk-|api-key|authorization/)
  })
})
