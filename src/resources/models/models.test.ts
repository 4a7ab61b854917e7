import { sql } from 'kysely'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../../../test/server.ts'
import { KEY, type StandIn, startOpenAi } from '../../../test/stand-ins/openai.ts'
import { syncBase } from '../../jobs/sync-base.ts'
import type { BaseProvider } from '../../lib/base-providers.ts'
import { createEgress } from '../../lib/egress.ts'

let acme: StandIn
let base: BaseProvider
let server: TestServer
const egress = createEgress([])
const logger = pino({ level: 'silent' })
const sync = () => syncBase({ database: server.database, egress, providers: [base], logger }, base)

beforeAll(async () => {
  acme = await startOpenAi()
  base = { name: 'openai', type: 'openai', apiKey: KEY, baseUrl: acme.url }
  server = await startTestServer({ providers: [base], defaultModel: 'openai/gpt-5-mini' })
})
afterAll(async () => {
  await server.close()
  await acme.close()
  await egress.close()
})

const handles = (models: { handle: string }[]) => models.map(({ handle }) => handle)

describe('models of the server’s own providers', () => {
  test('are not there before they were listed, and handles are taken on trust', async () => {
    const { alice } = server
    expect(handles((await alice.get('/v1/models/')).body)).toEqual(['cairn/scripted'])
    expect(handles((await alice.get('/v1/models/embedding')).body)).toEqual(['cairn/lexical'])
    const agent = (await alice.post('/v1/agents/', { model: 'openai/anything' })).body
    expect(agent.llm_config).toMatchObject({ model: 'anything', model_endpoint: acme.url, provider_category: 'base' })
    expect(acme.asked).toEqual([])
  })

  test('are every organization’s, by their handles, and need no network to be listed', async () => {
    await sync()
    acme.asked.length = 0
    acme.otherwise = () => 'never'
    for (const client of [server.alice, server.bob]) {
      const models = (await client.get('/v1/models/')).body
      expect(handles(models)).toEqual(['openai/gpt-4o', 'openai/gpt-4o-mini', 'openai/gpt-5-mini', 'cairn/scripted'])
      expect(models[2]).toEqual({
        handle: 'openai/gpt-5-mini',
        name: 'gpt-5-mini',
        model: 'gpt-5-mini',
        display_name: 'gpt-5-mini',
        provider_type: 'openai',
        provider_name: 'openai',
        provider_category: 'base',
        model_type: 'llm',
        model_endpoint_type: 'openai',
        model_endpoint: acme.url,
        context_window: 400_000,
        max_context_window: 400_000,
      })
      const embedding = (await client.get('/v1/models/embedding')).body
      expect(handles(embedding)).toEqual(['cairn/lexical', 'openai/acme-embed', 'openai/text-embedding-3-small'])
      expect((await client.get('/v1/models/embeddings')).body).toEqual(embedding)
    }
    expect(acme.asked).toEqual([])
    acme.otherwise = () => undefined
  })

  test('are filtered by category, name and type', async () => {
    const { alice } = server
    const count = async (query: string) => (await alice.get(`/v1/models/?${query}`)).body.length
    expect(await count('provider_category=base')).toBe(4)
    expect(await count('provider_category=byok')).toBe(0)
    expect(await count('provider_category=byok&provider_category=base')).toBe(4)
    expect(await count('provider_name=openai')).toBe(3)
    expect(await count('provider_type=openai')).toBe(4)
    expect(await count('provider_name=cairn')).toBe(1)
    expect(await count('provider_name=other')).toBe(0)
    expect(await count('provider_type=anthropic')).toBe(0)
    expect((await alice.get('/v1/models/?provider_type=nothing')).status).toBe(422)
  })

  test('stay when a listing fails, which is noted and harms nothing', async () => {
    acme.otherwise = () => 'cut'
    await expect(sync()).rejects.toThrow('cuts the connection')
    acme.otherwise = () => undefined
    const { rows } = await sql<{ sync_error: string }>`select sync_error from base_providers`.execute(
      server.database.kysely,
    )
    expect(rows).toEqual([{ sync_error: 'openai cannot be reached: it cuts the connection.' }])
    expect((await server.alice.get('/v1/models/')).body).toHaveLength(4)
    expect((await server.alice.get('/v1/ready/')).status).toBe(200)
  })

  test('cannot be taken over by a provider of the same name', async () => {
    const body = { name: 'openai', provider_type: 'openai', api_key: KEY, base_url: acme.url }
    expect((await server.alice.post('/v1/providers/', body)).status).toBe(409)
  })
})

describe('a handle', () => {
  test('brings the configuration of the model it names', async () => {
    const { alice } = server
    const body = { model: 'openai/gpt-4o', embedding: 'openai/acme-embed' }
    const { llm_config, embedding_config } = (await alice.post('/v1/agents/', body)).body
    expect(llm_config).toMatchObject({ handle: 'openai/gpt-4o', model_endpoint: acme.url, context_window: 128_000 })
    expect(embedding_config).toEqual({
      handle: 'openai/acme-embed',
      embedding_model: 'acme-embed',
      embedding_endpoint_type: 'openai',
      embedding_endpoint: acme.url,
      embedding_dim: 24,
      embedding_chunk_size: 300,
      batch_size: 32,
    })
  })

  test.each([
    ['/v1/agents/', { model: 'openai/gpt-4o-mimi' }, 'model', 'openai/gpt-4o-mini'],
    ['/v1/agents/', { model: 'opanai/gpt-4o' }, 'model', 'openai/gpt-4o'],
    ['/v1/agents/', { model: 'antropic/claude-x' }, 'model', 'anthropic/claude-x'],
    ['/v1/archives/', { name: 'A', embedding: 'mistral/no-such-model-at-all' }, 'embedding', 'mistral/mistral-embed'],
    [
      '/v1/archives/',
      { name: 'A', embedding: 'opnai/text-embedding-3-smal' },
      'embedding',
      'openai/text-embedding-3-small',
    ],
    ['/v1/agents/', { model: 'cairn/lexical' }, 'model', 'openai/gpt-4o'],
    ['/v1/archives/', { name: 'A', embedding: 'openai/acme-embd' }, 'embedding', 'openai/acme-embed'],
    ['/v1/archives/', { name: 'A', embedding: 'openai/gpt-4o' }, 'embedding', 'openai/acme-embed'],
    ['/v1/archives/', { name: 'A', embedding: 'cairn/lexikal' }, 'embedding', 'cairn/lexical'],
    ['/v1/folders/', { name: 'F', embedding: 'nobody/knows' }, 'embedding', 'cairn/lexical'],
  ])('that names no model is refused at %s with the nearest known ones: %j', async (url, body, field, near) => {
    const { status, body: answer } = await server.alice.post(url, body)
    expect([status, answer.errors[0].field]).toEqual([422, field])
    expect(answer.detail).toContain(near)
  })

  test.each([
    [{ model: 'opnai/gpt-4o' }, 'openai/gpt-4o'],
    [{ model: 'nobody/gpt-4o' }, 'openai/gpt-4o'],
    [{ embedding: 'openai/no-such-model-at-all' }, 'openai/text-embedding-3-small'],
    [{ embedding: 'groq/text-embedding-004' }, 'google_vertex/text-embedding-005'],
  ])('that names none is told the nearest also where no provider is: %j', async (body, near) => {
    const plain = await startTestServer()
    const path = 'model' in body ? '/v1/agents/' : '/v1/archives/'
    const make = (fields: object) => plain.alice.post(path, { name: 'A', ...fields })
    const { status, body: answer } = await make(body)
    expect([status, answer.detail]).toEqual([422, expect.stringContaining('the nearest known ones are ')])
    const named = answer.detail.split('known ones are ')[1].split(';')[0].split(', ')
    expect(named).toContain(near)
    // Each of them would be taken.
    const [field] = Object.keys(body)
    for (const one of named) expect((await make({ [field!]: one })).status).toBe(200)
    await plain.close()
  })

  test('of a provider nobody has is taken on trust where it is a known one', async () => {
    const { alice } = server
    const { llm_config } = (await alice.post('/v1/agents/', { model: 'anthropic/claude-sonnet-4-5' })).body
    expect(llm_config).toMatchObject({ model: 'claude-sonnet-4-5', provider_category: 'base' })
    const config = (await alice.post('/v1/archives/', { name: 'A', embedding: 'mistral/mistral-embed' })).body
    expect(config.embedding_config).toMatchObject({ embedding_dim: 1024, embedding_endpoint_type: 'mistral' })
    const unknown = await alice.post('/v1/archives/', { name: 'A', embedding: 'ollama/some-embed' })
    expect(unknown.status).toBe(422)
    expect(unknown.body.detail).toContain('embedding_config')
    const none = await alice.post('/v1/archives/', { name: 'A', embedding: 'anthropic/claude' })
    expect(none.body.detail).toContain('has no embedding models')
  })

  test('of a provider of one organization means nothing to another', async () => {
    const { alice, bob } = server
    const models = [{ name: 'own-embed', model_type: 'embedding', embedding_dim: 5 }]
    await alice.post('/v1/providers/', {
      name: 'hers',
      provider_type: 'openai',
      api_key: KEY,
      base_url: acme.url,
      models,
    })
    expect((await alice.post('/v1/archives/', { name: 'A', embedding: 'hers/own-embed' })).body).toMatchObject({
      embedding_config: { embedding_dim: 5, embedding_endpoint: acme.url },
    })
    const foreign = await bob.post('/v1/archives/', { name: 'A', embedding: 'hers/own-embed' })
    expect(foreign.status).toBe(422)
    expect(foreign.body.detail.replace('"hers"', '')).not.toContain('hers')
    await server.settle()
  })
})

describe('the size of the vectors', () => {
  test('is told in the unit asked for, of one’s own organization', async () => {
    const { alice, bob, database, organizations } = server
    const archive = (await alice.post('/v1/archives/', { name: 'A' })).body
    await sql`with passage as (
      insert into passages (organization_id, id, archive_id, text, created_at, updated_at)
      values (${organizations.alice}, 'passage-1', ${archive.id}, 'a', now(), now()) returning *
    ) select from passage`.execute(database.kysely)
    await sql`insert into embeddings (organization_id, passage_id, container_id, model, embedding)
      values (${organizations.alice}, 'passage-1', ${archive.id}, 'm', array_fill(0.5, array[510])::vector)`.execute(
      database.kysely,
    )
    const url = '/v1/embeddings/total_storage_size'
    expect((await alice.get(url, { 'storage-unit': 'KB' })).body).toBe(2)
    expect((await alice.get(url, { 'storage-unit': 'B' })).body).toBe(2048)
    expect((await alice.get(url)).body).toBe(2048 / 1024 ** 3)
    const acres = await alice.get(url, { 'storage-unit': 'acres' })
    const message = 'must be one of B, KB, MB, GB, TB'
    expect([acres.status, acres.body.errors]).toEqual([422, [{ in: 'header', field: 'storage-unit', message }]])
    expect(acres.body.detail).toBe(`storage-unit: ${message}.`)
    expect((await bob.get(url)).body).toBe(0)
  })
})
