import type { EmbeddingModel, Model } from '@letta-ai/letta-client/resources/models'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { KEY, type StandIn, startOpenAi } from '../stand-ins/openai.ts'
import { type LettaServer, startLetta } from './client.ts'

let acme: StandIn
let server: LettaServer
/** Alice has a provider of her own; its models are listed. */
beforeAll(async () => {
  acme = await startOpenAi()
  server = await startLetta()
  const { status } = await server.neutral.post('/letta/v1/providers/', {
    name: 'acme',
    provider_type: 'openai',
    api_key: KEY,
    base_url: acme.url,
  })
  expect(status).toBe(200)
  await server.settle()
})
afterAll(async () => {
  await server.close()
  await acme.close()
})

test('the language models of an organization are listed with the fields that the SDK reads', async () => {
  const models: Model[] = await server.alice.models.list()
  expect(models.map(({ handle }) => handle)).toEqual([
    'acme/gpt-4o',
    'acme/gpt-4o-mini',
    'acme/gpt-5-mini',
    'cairn/scripted',
  ])
  expect(models[0]).toMatchObject({
    handle: 'acme/gpt-4o',
    name: 'gpt-4o',
    model: 'gpt-4o',
    display_name: 'gpt-4o',
    model_type: 'llm',
    model_endpoint: acme.url,
    model_endpoint_type: 'openai',
    provider_name: 'acme',
    provider_type: 'openai',
    provider_category: 'byok',
    context_window: 128_000,
    max_context_window: 128_000,
    max_tokens: null,
    response_format: null,
  } satisfies Model)
})

test('models are filtered, and a null filter is ignored', async () => {
  const count = async (query: Parameters<typeof server.alice.models.list>[0]) =>
    (await server.alice.models.list(query)).length
  expect(await count({ provider_category: ['byok'] })).toBe(3)
  expect(await count({ provider_category: ['base'] })).toBe(1)
  expect(await count({ provider_category: ['base', 'byok'] })).toBe(4)
  expect(await count({ provider_name: 'acme', provider_type: 'openai' })).toBe(3)
  expect(await count({ provider_name: 'other' })).toBe(0)
  expect(await count({ provider_type: 'anthropic' })).toBe(0)
  expect(await count({ provider_category: null, provider_name: null, provider_type: null })).toBe(4)
})

test('embedding models are listed, the built-in one first', async () => {
  const models: EmbeddingModel[] = await server.alice.models.embeddings.list()
  expect(models.map(({ handle }) => handle)).toEqual([
    'cairn/lexical',
    'acme/acme-embed',
    'acme/text-embedding-3-small',
  ])
  expect(models[0]).toMatchObject({
    name: 'lexical',
    provider_name: 'cairn',
    provider_type: 'letta',
    embedding_dim: 512,
    model_type: 'embedding',
  })
  expect(models[1]).toMatchObject({
    handle: 'acme/acme-embed',
    name: 'acme-embed',
    display_name: 'acme-embed',
    model_type: 'embedding',
    provider_name: 'acme',
    provider_type: 'openai',
    embedding_model: 'acme-embed',
    embedding_endpoint: acme.url,
    embedding_endpoint_type: 'openai',
    embedding_dim: 24,
    embedding_chunk_size: 300,
    batch_size: 32,
    azure_endpoint: null,
  } satisfies EmbeddingModel)
})

test('every listed model can be used by its handle', async () => {
  const { alice } = server
  const [model] = await alice.models.list()
  const [lexical, embedding] = await alice.models.embeddings.list()
  const agent = await alice.agents.create({ model: model!.handle!, embedding: embedding!.handle! })
  expect(agent.llm_config).toMatchObject({ handle: 'acme/gpt-4o', model_endpoint: acme.url, context_window: 128_000 })
  expect(agent.embedding_config).toMatchObject({ handle: 'acme/acme-embed', embedding_dim: 24 })
  const [made] = await alice.agents.passages.create(agent.id, { text: 'Likes tea.' })
  expect(made!.embedding_config).toMatchObject({ handle: 'acme/acme-embed', embedding_dim: 24 })
  expect((await alice.agents.passages.search(agent.id, { query: 'tea' })).results).toMatchObject([{ id: made!.id }])
  const archive = await alice.archives.create({ name: 'A', embedding: lexical!.handle! })
  expect(archive.embedding_config).toMatchObject({ handle: 'cairn/lexical' })
})

test('the models of an organization’s provider are invisible to other organizations', async () => {
  expect((await server.bob.models.list()).map(({ handle }) => handle)).toEqual(['cairn/scripted'])
  expect((await server.bob.models.embeddings.list()).map(({ handle }) => handle)).toEqual(['cairn/lexical'])
})
