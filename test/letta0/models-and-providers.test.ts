import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { KEY, type StandIn, startOpenAi } from '../stand-ins/openai.ts'
import { olderSdk, pages, refused, unknown } from './client.ts'

const older = olderSdk()

let acme: StandIn
beforeAll(async () => {
  acme = await startOpenAi()
})
afterAll(() => acme.close())
afterEach(async () => {
  const { providers } = older.alice
  for (const { id } of await providers.list()) await providers.delete(id!)
})

const openai = (name: string) => ({ name, providerType: 'openai' as const, apiKey: KEY, baseUrl: acme.url })

test('a provider is created, checked, modified and deleted; its key is never returned', async () => {
  const { providers } = older.alice
  const made = await providers.create(openai('letta_core'))
  expect(made).toMatchObject({
    id: expect.stringMatching(/^provider-.{36}$/),
    name: 'letta_core',
    providerType: 'openai',
    providerCategory: 'byok',
    baseUrl: acme.url,
  })
  expect(made.updatedAt).toBeInstanceOf(Date)
  expect(JSON.stringify(made)).not.toContain(KEY)
  const id = made.id!
  expect(await providers.retrieveProvider(id)).toEqual(made)
  expect(await providers.list({ name: 'letta_core' })).toEqual([made])
  expect(await providers.checkExistingProvider(id)).toMatchObject({ message: expect.stringContaining('openai') })
  expect(await providers.modify(id, { apiKey: 'sk-wrong' })).toMatchObject({ id, name: 'letta_core' })
  await refused(providers.checkExistingProvider(id), 422, 'api_key')
  await refused(providers.create(openai('letta_core')), 409, 'already exists')
  expect(await providers.delete(id)).toEqual({ message: `Provider id=${id} successfully deleted` })
  await refused(providers.retrieveProvider(id), 404, id)
  await refused(providers.delete(id), 404, id)
  await refused(providers.create(openai('a/b')), 422, 'name')
})

test('credentials are checked before they are stored', async () => {
  const { providers } = older.alice
  const { name: _, ...given } = openai('')
  expect(await providers.check(given)).toMatchObject({ message: expect.stringContaining('openai') })
  await refused(providers.check({ ...given, apiKey: 'sk-wrong' }), 422, 'api_key')
  await refused(providers.check({ ...given, baseUrl: 'http://169.254.169.254/v1' }), 422, 'base_url')
})

test('providers are listed in pages and by their kind', async () => {
  const { providers } = older.alice
  const made: string[] = []
  for (const name of ['one', 'two', 'three']) made.unshift((await providers.create(openai(name))).id!)
  expect(await pages((page) => providers.list(page))).toEqual(made)
  expect(await providers.list({ order: 'asc', orderBy: 'created_at', limit: 1 })).toMatchObject([{ id: made[2] }])
  expect(await providers.list({ providerType: 'anthropic' })).toEqual([])
})

test('models of a provider are listed for its organization alone', async () => {
  const { alice, bob, server } = older
  const { id } = await alice.providers.create(openai('acme'))
  await server.settle()
  const models = await alice.models.list()
  expect(models.map(({ handle }) => handle)).toEqual([
    'acme/gpt-4o',
    'acme/gpt-4o-mini',
    'acme/gpt-5-mini',
    'cairn/scripted',
  ])
  expect(models[0]).toMatchObject({
    model: 'gpt-4o',
    modelEndpoint: acme.url,
    modelEndpointType: 'openai',
    providerName: 'acme',
    providerCategory: 'byok',
    contextWindow: 128_000,
  })
  expect(await alice.models.list({ providerCategory: ['base'] })).toEqual(models.slice(3))
  expect(await alice.models.list({ providerCategory: 'byok', providerName: 'acme' })).toEqual(models.slice(0, 3))
  expect(await alice.models.list({ providerType: 'anthropic' })).toEqual([])

  const embedding = await alice.models.embeddings.list()
  const handles = ['cairn/lexical', 'acme/acme-embed', 'acme/text-embedding-3-small']
  expect(embedding.map(({ handle }) => handle)).toEqual(handles)
  expect(embedding[1]).toMatchObject({ embeddingModel: 'acme-embed', embeddingEndpoint: acme.url, embeddingDim: 24 })
  // The SDK has no type for the response, and returns nothing.
  await alice.models.listembeddingmodels()
  const agent = await alice.agents.create({ model: models[0]!.handle!, embedding: embedding[1]!.handle! })
  expect(agent.embeddingConfig).toMatchObject({ handle: 'acme/acme-embed', embeddingDim: 24 })

  expect(await bob.models.list()).toEqual(models.slice(3))
  expect((await bob.models.embeddings.list()).map(({ handle }) => handle)).toEqual(['cairn/lexical'])
  await refused(bob.providers.retrieveProvider(id!), 404, id!)
  await refused(bob.providers.modify(id!, { apiKey: 'mine' }), 404, id!)
  await refused(bob.providers.checkExistingProvider(id!), 404, id!)
  await refused(bob.providers.delete(id!), 404, id!)
  await refused(alice.providers.delete(unknown('provider')), 404, unknown('provider'))
  expect(await bob.providers.list()).toEqual([])
  await alice.providers.delete(id!)
  expect(await alice.models.list()).toEqual(models.slice(3))
})
