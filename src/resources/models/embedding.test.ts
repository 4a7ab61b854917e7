import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../../../test/server.ts'
import { KEY, type StandIn, startOpenAi, vectorOf } from '../../../test/stand-ins/openai.ts'
import { createEgress } from '../../lib/egress.ts'
import { createEmbedders, type Embedders, modelKey } from './embedding.ts'
import { DEFAULT_EMBEDDING } from './handles.ts'
import { EMBEDDING_ENDPOINT_TYPES, type EmbeddingConfig } from './schema.ts'

let server: TestServer
/** The provider of the server's settings, and of users. */
let operators: StandIn
let users: StandIn
const egress = createEgress(['loopback'])
let embedders: Embedders
beforeAll(async () => {
  ;[server, operators, users] = await Promise.all([startTestServer(), startOpenAi(), startOpenAi()])
  const base = [{ name: 'openai', type: 'openai' as const, apiKey: KEY, baseUrl: operators.url }]
  embedders = createEmbedders({ egress, providers: base }, [0, 0])
})
afterEach(() => {
  operators.asked.length = 0
  users.asked.length = 0
})
afterAll(async () => {
  await Promise.all([server.close(), operators.close(), users.close()])
  await egress.close()
})

const config = (change: Partial<EmbeddingConfig> = {}): EmbeddingConfig => ({
  embedding_endpoint_type: 'openai',
  embedding_model: 'acme-embed',
  embedding_dim: 24,
  ...change,
})

const embed = async (organization: string, change?: Partial<EmbeddingConfig>) =>
  (await embedders.of(server.scopeOf(organization), config(change))).embed(['text'], 'document')

const keys = ({ asked }: StandIn) => asked.map(({ headers }) => headers.authorization)

describe('the embedder of a configuration', () => {
  test.each(EMBEDDING_ENDPOINT_TYPES)(
    'works or is refused with a reason, and is never another one: %s',
    async (type) => {
      const scope = server.scopeOf(server.organizations.alice)
      const given = config({ embedding_endpoint_type: type, embedding_endpoint: users.url })
      if (['anthropic', 'groq', 'pinecone', 'webui-legacy', 'lmstudio-legacy'].includes(type)) {
        await expect(embedders.of(scope, given)).rejects.toMatchObject({ status: 422 })
      } else {
        expect(await embedders.of(scope, given)).toMatchObject({ local: false, dimension: 24 })
      }
    },
  )

  test('is the built-in model by its handle, or by its name without an address, and never another one', async () => {
    const scope = server.scopeOf(server.organizations.alice)
    const { handle: _, ...named } = DEFAULT_EMBEDDING
    for (const config of [DEFAULT_EMBEDDING, named]) expect((await embedders.of(scope, config)).local).toBe(true)
    for (const change of [{ embedding_dim: 12 }, { embedding_model: 'lexikal' }]) {
      await expect(embedders.of(scope, { ...DEFAULT_EMBEDDING, ...change })).rejects.toThrow(/cairn\/lexical/)
    }
    const elsewhere = { ...named, embedding_endpoint: users.url }
    expect((await embedders.of(scope, elsewhere)).local).toBe(false)
    expect(modelKey(elsewhere)).not.toBe(modelKey(DEFAULT_EMBEDDING))
    await expect(embedders.of(scope, { ...named, handle: 'hers/lexical' })).rejects.toThrow(/no provider "hers"/)
    for (const config of [DEFAULT_EMBEDDING, named, elsewhere, { ...named, handle: 'hers/lexical' }]) {
      const [row] = await scope.query<{ key: string }>(
        sql`select embedding_model(${JSON.stringify(config)}::jsonb) as key`,
      )
      expect(row!.key).toBe(modelKey(config))
    }
  })

  test.each([
    ...['anthropic', 'groq', 'pinecone', 'webui-legacy', 'lmstudio-legacy'].map((embedding_endpoint_type) => ({
      embedding_endpoint_type,
    })),
    { ...DEFAULT_EMBEDDING, embedding_dim: 12 },
  ])(
    'that cannot be used here is stored as it is, with a warning, and refused where it is used: %j',
    async (change) => {
      const { alice } = server
      const embedding_config = { ...config(), ...change }
      for (const path of ['/v1/archives/', '/v1/folders/', '/v1/agents/']) {
        const made = await alice.post(path, { name: randomUUID(), embedding_config })
        expect(made).toMatchObject({ status: 200, body: { embedding_config } })
        expect(made.headers.warning).toMatch(/^299 - "The embedding model is stored, but cannot be used: .+"$/)
        const texts = { '/v1/archives/': 'passages', '/v1/agents/': 'archival-memory' }[path]
        if (!texts) continue
        const refused = await alice.post(`${path}${made.body.id}/${texts}`, { text: 'first' })
        expect([refused.status, refused.body.errors]).toMatchObject([422, [{ in: 'body', field: 'embedding' }]])
        const usable = await alice.patch(`${path}${made.body.id}`, { embedding: 'cairn/lexical' })
        expect(usable.headers).not.toHaveProperty('warning')
        expect((await alice.post(`${path}${made.body.id}/${texts}`, { text: 'first' })).status).toBe(200)
      }
    },
  )

  test.each([
    { embedding_endpoint_type: 'native' },
    { embedding_model: '../../admin' },
    { embedding_endpoint: 'ftp://example.com' },
    { embedding_endpoint: 'example.com' },
  ])('that names no model is refused where it is set: %j', async (change) => {
    const { alice } = server
    const body = { name: 'A', embedding_config: { ...config(), ...change } }
    for (const path of ['/v1/archives/', '/v1/folders/', '/v1/agents/']) {
      const { status, body: made } = await alice.post(path, { name: randomUUID() })
      expect(status).toBe(200)
      for (const answer of [
        await alice.post(path, body),
        await alice.patch(`${path}${made.id}`, { embedding_config: body.embedding_config }),
      ]) {
        expect([answer.status, answer.body.errors]).toMatchObject([
          422,
          [{ in: 'body', field: expect.stringContaining('embedding_config') }],
        ])
      }
      expect((await alice.get(`${path}${made.id}`)).body.embedding_config).toEqual(made.embedding_config)
    }
  })

  test('has the key of the server’s provider for that provider’s own address alone', async () => {
    const { alice } = server.organizations
    for (const change of [{}, { handle: 'openai/acme-embed' }, { embedding_endpoint: 'https://api.openai.com/v1' }]) {
      expect(await embed(alice, change)).toEqual([vectorOf('text', 24)])
    }
    expect(await embed(alice, { embedding_endpoint: `${operators.url}/` })).toHaveLength(1)
    expect(keys(operators)).toEqual(Array(4).fill(`Bearer ${KEY}`))
    for (const handle of [undefined, 'openai/acme-embed']) {
      const elsewhere = embed(alice, { embedding_endpoint: users.url, ...(handle && { handle }) })
      await expect(elsewhere).rejects.toThrow(/does not accept the API key/)
    }
    await embed(alice, { embedding_endpoint: `${operators.url.replace('/v1', '')}/other` }).catch(() => undefined)
    expect([...keys(users), ...keys(operators).slice(4)]).toEqual([undefined, undefined, undefined])
  })

  test('has the key of an organization’s provider for that organization alone', async () => {
    const { alice, organizations } = server
    const body = { name: 'mine', provider_type: 'vllm', api_key: KEY, base_url: users.url }
    expect((await alice.post('/v1/providers/', body)).status).toBe(200)
    const named = { embedding_endpoint_type: 'vllm' as const, handle: 'mine/acme-embed' }
    expect(await embed(organizations.alice, named)).toHaveLength(1)
    expect(await embed(organizations.alice, { ...named, embedding_endpoint: users.url })).toHaveLength(1)
    await expect(embed(organizations.bob, named)).rejects.toMatchObject({ status: 422 })
    await expect(embed(organizations.bob, { ...named, embedding_endpoint: users.url })).rejects.toThrow(/API key/)
    expect(keys(users)).toEqual([`Bearer ${KEY}`, `Bearer ${KEY}`, undefined])
  })

  test('of a provider that is gone is not another one’s', async () => {
    const gone = embed(server.organizations.alice, { handle: 'gone/acme-embed' })
    await expect(gone).rejects.toThrow(/no provider "gone"/)
    expect(operators.asked).toEqual([])
  })

  test('has no model whose name leads out of its path', async () => {
    for (const embedding_model of ['../../admin', 'a?b', 'a#b', 'a%2f', '']) {
      await expect(embed(server.organizations.alice, { embedding_model })).rejects.toMatchObject({ status: 422 })
    }
  })

  test('does not reach inside', async () => {
    const strict = createEmbedders({ egress: createEgress([]), providers: [] })
    const embedder = await strict.of(
      server.scopeOf(server.organizations.alice),
      config({ embedding_endpoint: users.url }),
    )
    const error = await embedder.embed(['text'], 'query').catch((thrown) => thrown)
    expect([error.status, error.message]).toEqual([422, expect.stringContaining('CAIRN_ALLOWED_NETWORKS')])
    expect(users.asked).toEqual([])
  })
})
