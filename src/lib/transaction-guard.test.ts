import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { startTestServer, type TestServer } from '../../test/server.ts'
import { type Embedder, guardEmbedder } from '../embed/embedder.ts'
import { lexical } from '../embed/lexical.ts'
import { createVectorStores, guardStores } from '../embed/stores.ts'
import { unreached } from '../llm/connection.ts'
import { listModels } from '../llm/listing.ts'
import { createEmbedders } from '../resources/models/embedding.ts'
import { createEgress, type Egress, guardEgress } from './egress.ts'
import { TransactionGuardError } from './transaction-guard.ts'

let server: TestServer
let egress: Egress
let remote: Embedder
beforeAll(async () => {
  server = await startTestServer()
  egress = guardEgress(createEgress(['loopback']), server.database.guard)
  const embedders = createEmbedders({ egress, providers: [] }, [])
  remote = await embedders.of(server.scopeOf(server.organizations.bob), config)
})
afterAll(async () => {
  await egress.close()
  await server.close()
})

const connection = () => ({
  name: 'acme',
  type: 'openai' as const,
  url: 'http://127.0.0.1:1/v1',
  apiKey: 'key',
  fetch: egress.fetch,
})

const config = {
  embedding_model: 'm',
  embedding_endpoint_type: 'openai',
  embedding_endpoint: 'http://127.0.0.1:1/v1',
  embedding_dim: 3,
} as const

const scripted: Embedder = { dimension: 3, local: false, embed: async () => [[0, 0, 0]] }

const store = () => {
  // A server that knows neither: calls of one that is out of reach are repeated for seconds.
  const address = { apiKey: 'key', url: inject('provider') }
  return guardStores(createVectorStores({ tpuf: address, pinecone: address }), server.database.guard)
}

describe('inside a transaction', () => {
  test.each<[string, () => Promise<unknown>]>([
    ['an address of a user', () => egress.fetch('http://127.0.0.1:1')],
    ['an address of the settings', () => egress.trusted('http://127.0.0.1:1')],
    ['the check of an address', () => egress.check('http://127.0.0.1:1')],
    ['a list of models', () => listModels(connection())],
    ['a model of a provider', () => remote.embed(['text'], 'document')],
    ['any model that is not local', () => guardEmbedder(scripted, server.database.guard).embed(['text'], 'document')],
    ['a hosted store', () => store().tpuf!.remove('n', ['id'])],
    ['the dimension of a hosted store', () => store().pinecone!.dimension!()],
  ])('%s is refused with a clear error', async (_, call) => {
    await expect(server.database.transaction(call)).rejects.toThrow(/network call .* inside a database transaction/)
    const outside = await call().catch((error) => error)
    expect(outside).not.toBeInstanceOf(TransactionGuardError)
  })

  test('the built-in embedding model works, as it needs no network', async () => {
    const embedder = guardEmbedder(lexical, server.database.guard)
    const [vector] = await server.database.transaction(() => embedder.embed(['text'], 'document'))
    expect(vector).toHaveLength(lexical.dimension)
  })
})

test('the mistake is not reported as a provider that cannot be reached', () => {
  expect(() => unreached('acme', new TransactionGuardError('a mistake'))).toThrow('a mistake')
})
