import { Letta, LettaError } from 'letta-client-0'
import { expect, test } from 'vitest'
import { EMBEDDING, MODEL, olderSdk, refused, unknown } from './client.ts'

const older = olderSdk()

test('the server reports its health without a key', async () => {
  expect(await older.as('').health.check()).toEqual({ version: 'test', status: 'ok' })
})

test('a key that isn’t one is a 401', async () => {
  const { body } = await refused(older.as('nonsense').agents.list(), 401, 'API key')
  expect(body).toMatchObject({ type: '/errors/unauthorized', code: 'unauthorized', request_id: expect.any(String) })
})

test('a key without the scope is a 403 that names it', async () => {
  const { key } = await older.server.withScopes('read')
  const reader = older.as(key)
  await refused(reader.archives.createArchive({ name: 'x' }), 403, 'write')
  expect(await reader.agents.search({})).toEqual({ agents: [] })
})

test('a missing resource is a 404, a conflict a 409, and the SDK retries neither', async () => {
  const { alice } = older
  await refused(alice.agents.retrieve(unknown('agent')), 404, unknown('agent'))
  await refused(alice.agents.create({ ...MODEL, blockIds: [unknown('block')] }), 404, unknown('block'))
  await alice.folders.create({ name: 'Taken' })
  const conflict = await refused(alice.folders.create({ name: 'Taken' }), 409, 'already exists')
  expect(conflict.rawResponse?.headers.get('x-should-retry')).toBe('false')
})

test('an invalid request is an UnprocessableEntityError that lists every validation error', async () => {
  const error = await refused(older.alice.agents.list({ limit: 0, after: 'x' }), 422, 'limit')
  expect(error).toBeInstanceOf(Letta.UnprocessableEntityError)
  expect(error).toBeInstanceOf(LettaError)
  expect((error.body as { errors: object[] }).errors).toMatchObject([
    { in: 'query', field: 'limit' },
    { in: 'query', field: 'after' },
  ])
  await refused(older.alice.blocks.retrieve('x'), 422, 'block-<uuid>')
})

test('names of the older API are not translated in a caller’s own texts', async () => {
  const value = 'memgpt_agent letta_core svc_v1_agent'
  const block = await older.alice.blocks.create({ label: 'human', value, metadata: { letta_core: 'letta_v1_agent' } })
  expect(block).toMatchObject({ value, metadata: { letta_core: 'letta_v1_agent' } })
  const folder = await older.alice.folders.create({
    name: 'Azure',
    embeddingConfig: {
      embeddingModel: 'mine',
      embeddingDim: 8,
      embeddingEndpointType: 'azure',
      azureEndpoint: 'https://example.com',
      azureVersion: '1',
      azureDeployment: EMBEDDING,
    },
  })
  const azure = { azureEndpoint: 'https://example.com', azureVersion: '1', azureDeployment: EMBEDDING }
  expect(folder.embeddingConfig).toMatchObject(azure)
  expect((await older.alice.folders.retrieve(folder.id!)).embeddingConfig).toMatchObject(azure)
})
