import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../../../test/server.ts'
import type { StandIn } from '../../../test/stand-ins/loopback.ts'
import { pineconeStandIn } from '../../../test/stand-ins/pinecone.ts'
import { turbopufferStandIn } from '../../../test/stand-ins/turbopuffer.ts'
import { storeOf } from '../passages/hosted.ts'

const KEY = 'the-store-key'

let server: TestServer
let standIns: { tpuf: StandIn; pinecone: StandIn }
beforeAll(async () => {
  standIns = { tpuf: await turbopufferStandIn(KEY), pinecone: await pineconeStandIn(KEY, 512) }
  const { tpuf, pinecone } = standIns
  const vectorStores = { tpuf: { apiKey: KEY, url: tpuf.url }, pinecone: { apiKey: KEY, url: pinecone.url } }
  server = await startTestServer({ vectorStores })
})
afterAll(async () => {
  await server.close()
  await Promise.all([standIns.tpuf.close(), standIns.pinecone.close()])
})

async function makeArchive(vector_db_provider: string): Promise<string> {
  const body = { name: 'Hosted', embedding: 'cairn/lexical', vector_db_provider }
  return (await server.alice.post('/v1/archives/', body)).body.id
}

describe('the choice of a store', () => {
  test('a store that is not set up is a 422 with the remedy', async () => {
    const plain = await startTestServer()
    for (const [provider, remedy] of [
      ['tpuf', 'TURBOPUFFER_API_KEY'],
      ['pinecone', 'PINECONE_INDEX_HOST'],
    ]) {
      const body = { name: 'No', embedding: 'cairn/lexical', vector_db_provider: provider }
      const answer = await plain.alice.post('/v1/archives/', body)
      expect(answer.status).toBe(422)
      expect(answer.body.errors).toEqual([
        { in: 'body', field: 'vector_db_provider', message: expect.stringContaining(remedy!) },
      ])
    }
    expect((await plain.alice.post('/v1/archives/', { name: 'N', vector_db_provider: 'native' })).status).toBe(200)
    await plain.close()
  })

  test('a model whose vectors the index cannot take is a 422 that says how many numbers it takes', async () => {
    const body = { name: 'No', embedding: 'openai/text-embedding-3-small', vector_db_provider: 'pinecone' }
    const answer = await server.alice.post('/v1/archives/', body)
    expect(answer.status).toBe(422)
    expect(answer.body.detail).toContain('512')
  })

  test('a store that does not answer when it must be asked is a 502, and no archive is made', async () => {
    standIns.pinecone.fail(403)
    const body = { name: 'Never', embedding: 'cairn/lexical', vector_db_provider: 'pinecone' }
    expect((await server.alice.post('/v1/archives/', body)).status).toBe(502)
    expect((await server.alice.get('/v1/archives/?name=Never')).body).toEqual([])
  })

  test('it cannot be changed afterwards', async () => {
    const archive = await makeArchive('tpuf')
    const answer = await server.alice.patch(`/v1/archives/${archive}`, { vector_db_provider: 'native' })
    expect(answer.status).toBe(409)
    expect(answer.body.detail).toContain('cannot be changed')
    const same = await server.alice.patch(`/v1/archives/${archive}`, { vector_db_provider: 'tpuf', name: 'Same' })
    expect(same.body).toMatchObject({ name: 'Same', vector_db_provider: 'tpuf' })
  })

  test('an archive whose store is not set up any more is a 503 that says what to set', async () => {
    const archive = await makeArchive('tpuf')
    await expect(storeOf(server.scopeOf(server.organizations.alice), {}, archive)).rejects.toMatchObject({
      status: 503,
      message: expect.stringContaining('TURBOPUFFER_API_KEY'),
    })
  })
})
