import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Client, startTestServer, type TestServer } from '../../../test/server.ts'
import type { StandIn } from '../../../test/stand-ins/loopback.ts'
import { pineconeStandIn } from '../../../test/stand-ins/pinecone.ts'
import { turbopufferStandIn } from '../../../test/stand-ins/turbopuffer.ts'
import { lexicalVector } from '../../embed/lexical.ts'
import { createVectorStores } from '../../embed/stores.ts'
import { syncContainer } from '../../jobs/sync-container.ts'
import { DEFAULT_EMBEDDING } from '../models/handles.ts'
import type { FoundPassage } from './search-schema.ts'

const KEY = 'the-store-key'
const PROVIDERS = ['tpuf', 'pinecone'] as const

let server: TestServer
let standIns: Record<(typeof PROVIDERS)[number], StandIn>
beforeAll(async () => {
  standIns = { tpuf: await turbopufferStandIn(KEY), pinecone: await pineconeStandIn(KEY, 512) }
  const address = (provider: (typeof PROVIDERS)[number]) => ({ apiKey: KEY, url: standIns[provider].url })
  server = await startTestServer({ vectorStores: { tpuf: address('tpuf'), pinecone: address('pinecone') } })
})
afterAll(async () => {
  await server.close()
  await Promise.all(PROVIDERS.map((provider) => standIns[provider].close()))
})

const FACTS = [
  { text: 'The invoice of the bakery is due on Friday.', tags: ['money', 'due'], created_at: '2026-03-01T12:00:00Z' },
  { text: 'Invoices are sent by post.', tags: ['money'], created_at: '2026-03-02T12:00:00Z' },
  { text: 'The garden wants water in summer.', tags: ['home', 'due'], created_at: '2026-03-03T12:00:00Z' },
  { text: 'A bakery sells bread, and cakes on Sundays.', tags: ['food'], created_at: '2026-03-04T12:00:00Z' },
]
const [INVOICE_DUE, BY_POST, GARDEN, BREAD] = FACTS.map(({ text }) => text) as [string, string, string, string]

/** An archive of somebody's that lies in a store, with the facts in it. */
async function makeArchive(client: Client, vector_db_provider: string, facts: readonly object[] = FACTS) {
  const body = { name: 'Hosted', embedding: 'cairn/lexical', vector_db_provider }
  const { id } = (await client.post('/v1/archives/', body)).body
  expect((await client.post(`/v1/archives/${id}/passages/batch`, { passages: facts })).status).toBe(200)
  return id as string
}

/** The same, once the store has it all. */
async function makeHosted(client: Client, provider: string, facts?: readonly object[]): Promise<string> {
  const id = await makeArchive(client, provider, facts)
  await server.settle()
  return id
}

async function search(client: Client, body: object): Promise<FoundPassage[]> {
  const reply = await client.post('/v1/passages/search', body)
  expect([reply.status, reply.body.detail]).toEqual([200, undefined])
  return reply.body
}
const textsOf = (found: FoundPassage[]) => found.map(({ passage }) => passage.text)
const indexesOf = (found: FoundPassage[]) => [...new Set(found.flatMap(({ metadata }) => metadata.indexes))].sort()

const cosine = (one: string, other: string) =>
  lexicalVector(one).reduce((sum, value, at) => sum + value * lexicalVector(other)[at]!, 0)

/** How often a store was asked while `work` ran. */
async function asked(provider: (typeof PROVIDERS)[number], work: () => Promise<unknown>): Promise<number> {
  const { requests } = standIns[provider]
  const before = requests.length
  await work()
  return requests.slice(before).filter(({ path }) => path.endsWith('/query')).length
}

describe.each(PROVIDERS)('an archive in %s', (provider) => {
  const words = provider === 'tpuf' ? 'tpuf' : 'fts'

  test('is searched there: by vectors, by words where the store can, and by both', async () => {
    const archive_id = await makeHosted(server.alice, provider)
    const query = 'bakery invoice'
    const near = await search(server.alice, { query, archive_id, search_mode: 'vector' })
    expect(near).toHaveLength(4)
    for (const [n, { passage, score, metadata }] of near.entries()) {
      expect(score).toBeCloseTo(cosine(passage.text, query), 5)
      const vector = { vector_score: score, vector_rank: n + 1, embedding_model: 'cairn/lexical' }
      expect(metadata).toEqual({ search_mode: 'vector', rank: n + 1, indexes: [provider], ...vector })
    }
    const worded = await search(server.alice, { query, archive_id, search_mode: 'fts' })
    expect(indexesOf(worded)).toEqual([words])
    expect(textsOf(worded)[0]).toBe(INVOICE_DUE)
    for (const [n, { score, metadata }] of worded.entries()) {
      expect(metadata).toMatchObject({ search_mode: 'fts', rank: n + 1, fts_score: score, fts_rank: n + 1 })
      expect(score).toBeGreaterThan(0)
    }
    const both = await search(server.alice, { query, archive_id })
    expect(both[0]).toMatchObject({ passage: { text: INVOICE_DUE }, metadata: { search_mode: 'hybrid', rank: 1 } })
    expect(indexesOf(both)).toEqual([...new Set([words, provider])].sort())
    for (const { score, metadata } of both) {
      const ranks = [metadata.vector_rank, metadata.fts_rank]
      expect(score).toBeCloseTo(
        ranks.reduce((sum: number, rank) => sum + (rank ? 1 / (60 + rank) : 0), 0),
        10,
      )
    }
    expect(await search(server.alice, { query, archive_id, limit: 1 })).toEqual([both[0]])
  })

  test('is asked once, also as the archive of an agent; of all archives this server is', async () => {
    const { alice } = server
    const archive_id = await makeHosted(alice, provider)
    const agent = (await alice.post('/v1/agents/', { name: 'Agent', timezone: 'Europe/Berlin' })).body.id
    await alice.patch(`/v1/agents/${agent}/archives/attach/${archive_id}`)
    const memory = async (rest: string) => (await alice.get(`/v1/agents/${agent}/archival-memory/search?${rest}`)).body
    expect(
      await asked(provider, async () => {
        const { results } = await memory('query=garden%20water&top_k=1')
        expect(results).toMatchObject([{ content: GARDEN, timestamp: '2026-03-03T13:00:00.000+01:00' }])
      }),
    ).toBe(1)
    expect((await memory('query=bakery&end_datetime=2026-03-01&search_mode=vector')).results).toHaveLength(1)
    expect(
      await asked(provider, async () => {
        expect(indexesOf(await search(alice, { query: 'bakery', agent_id: agent, search_mode: 'vector' }))).toEqual([
          provider,
        ])
      }),
    ).toBe(1)
    expect(
      await asked(provider, async () => {
        expect(textsOf(await search(alice, { query: 'bakery' }))).toContain(BREAD)
        await search(alice, { archive_id })
      }),
    ).toBe(0)
  })

  test.each(['vector', 'fts', 'hybrid'])('(%s) tags and dates count before the limit', async (search_mode) => {
    const archive_id = await makeHosted(server.alice, provider)
    const find = async (body: object) => {
      const found = await search(server.alice, { query: 'invoice due', search_mode, archive_id, ...body })
      return textsOf(found)
    }
    expect(await find({ tags: ['money', 'due'], tag_match_mode: 'all', limit: 1 })).toEqual([INVOICE_DUE])
    expect(await find({ tags: ['home'], limit: 1 })).toEqual(
      search_mode === 'fts' && words === 'fts' ? [] : expect.anything(),
    )
    expect(await find({ tags: ['none'] })).toEqual([])
    expect(await find({ start_date: '2026-03-02', end_date: '2026-03-02' })).not.toContain(INVOICE_DUE)
    expect(await find({ end_date: '2026-03-01' })).toEqual([INVOICE_DUE])
    expect(await find({ end_date: '2026-03-01T12:00:00Z' })).toEqual([INVOICE_DUE])
    expect(await find({ end_date: '2026-03-01T11:59:59.999Z' })).toEqual([])
    expect((await find({ start_date: '2026-03-01T12:00:00.001Z', tags: ['money'] })).length).toBeLessThan(2)
  })

  test('what is deleted is never found, whatever the store still holds', async () => {
    const { alice } = server
    const archive_id = await makeHosted(alice, provider)
    const body = { query: 'bakery invoice', archive_id }
    const [best] = await search(alice, body)
    expect((await alice.delete(`/v1/archives/${archive_id}/passages/${best!.passage.id}`)).status).toBe(204)
    // As long as the store has to be told, it isn't asked.
    expect(textsOf(await search(alice, body))).not.toContain(best!.passage.text)
    // As if it had been, and had forgotten.
    await sql`update hosted_vectors set synced = changes where container_id = ${archive_id}`.execute(
      server.database.kysely,
    )
    for (const search_mode of ['vector', 'fts', 'hybrid']) {
      const found = await search(alice, { ...body, search_mode })
      expect(indexesOf(found)).toContain(search_mode === 'fts' ? words : provider)
      expect(textsOf(found)).not.toContain(best!.passage.text)
      expect(found[0]!.metadata.rank).toBe(1)
    }
  })

  test('is searched here until the store has what was made', async () => {
    const archive_id = await makeArchive(server.alice, provider)
    const body = { query: 'bakery invoice', archive_id, search_mode: 'vector' }
    let early: FoundPassage[] = []
    expect(await asked(provider, async () => (early = await search(server.alice, body)))).toBe(0)
    expect(indexesOf(early)).toEqual(['exact'])
    await server.settle()
    const late = await search(server.alice, body)
    expect(indexesOf(late)).toEqual([provider])
    expect(textsOf(late)).toEqual(textsOf(early))
  })

  test('a store that fails is a 502 for a search by vectors; any other is answered here, and says so', async () => {
    const archive_id = await makeHosted(server.alice, provider)
    const body = { query: 'bakery invoice', archive_id }
    standIns[provider].fail(403)
    const refused = await server.alice.post('/v1/passages/search', { ...body, search_mode: 'vector' })
    expect([refused.status, refused.body.detail]).toEqual([502, expect.stringMatching(/refuses this server's key/)])
    standIns[provider].fail(403)
    const found = await search(server.alice, body)
    expect(indexesOf(found)).toEqual(['exact', 'fts'])
    expect(textsOf(found)[0]).toBe(INVOICE_DUE)
    for (const { metadata } of found) expect(metadata.store_error).toMatch(/refuses this server's key/)
    expect((await search(server.alice, body))[0]!.metadata).not.toHaveProperty('store_error')
    // It passes: the store is asked again.
    standIns[provider].fail('cut', 500)
    expect(indexesOf(await search(server.alice, { ...body, search_mode: 'vector' }))).toEqual([provider])
  })

  test('quotes and exclusions count', async () => {
    const archive_id = await makeHosted(server.alice, provider)
    const find = (query: string) => search(server.alice, { query, archive_id, search_mode: 'fts' })
    expect(textsOf(await find('"bakery sells" -invoice'))[0]).toBe(BREAD)
    expect(indexesOf(await find('"bakery sells" -invoice'))).toEqual(['fts'])
    expect(indexesOf(await find('by-post invoices'))).toEqual([words])
  })

  test('while it changes its model, the store answers by the old one, and words are looked for here', async () => {
    const archive_id = await makeHosted(server.alice, provider)
    const other = JSON.stringify({ ...DEFAULT_EMBEDDING, embedding_model: 'other' })
    await sql`update archives set serving_config = embedding_config, embedding_config = ${other}::jsonb
      where id = ${archive_id}`.execute(server.database.kysely)
    const found = await search(server.alice, { query: 'bakery invoice', archive_id })
    expect(indexesOf(found)).toEqual(['fts', provider].sort())
  })

  test('is its own organization’s alone', async () => {
    const { alice, bob } = server
    const hers = await makeHosted(alice, provider)
    const his = await makeHosted(bob, provider, [{ text: 'His invoice of the bakery.' }])
    for (const search_mode of ['vector', 'fts', 'hybrid']) {
      const body = { query: 'invoice of the bakery', search_mode }
      expect(textsOf(await search(bob, { ...body, archive_id: his }))).toEqual(['His invoice of the bakery.'])
      expect(textsOf(await search(alice, { ...body, archive_id: hers }))).not.toContain('His invoice of the bakery.')
      expect((await bob.post('/v1/passages/search', { ...body, archive_id: hers })).status).toBe(404)
    }
  })
})

test.each(PROVIDERS)(
  'how far an archive in %s is tells why its store lacks passages; it can be tried again',
  async (provider) => {
    const { alice, bob } = server
    const archive_id = await makeArchive(alice, provider)
    const url = `/v1/archives/${archive_id}/embedding`
    // Until the store has them, this is not over.
    expect((await alice.get(url)).body).toMatchObject({ status: 'embedding', total: 4, embedded: 4 })
    const { handler } = syncContainer(
      createVectorStores({ [provider]: { apiKey: 'old', url: standIns[provider].url } }),
    )
    const work = { container_id: archive_id }
    await expect(handler(server.scopeOf(server.organizations.alice), work, AbortSignal.any([]))).rejects.toThrow()
    const failed = { status: 'failed', error_message: expect.stringMatching(/refuses this server's key/) }
    expect((await alice.get(url)).body).toMatchObject(failed)
    expect((await bob.post(url)).status).toBe(404)
    expect((await alice.get(url)).body).toMatchObject(failed)

    await sql`delete from jobs.job where name = 'sync_container'`.execute(server.database.kysely)
    const again = (await alice.post(url)).body
    expect(again).toMatchObject({ status: 'embedding' })
    expect(again).not.toHaveProperty('error_message')
    await server.settle()
    expect((await alice.get(url)).body).toMatchObject({ status: 'ready', total: 4, embedded: 4 })
    expect(indexesOf(await search(alice, { query: 'bakery', archive_id, search_mode: 'vector' }))).toEqual([provider])
  },
)

test.each(PROVIDERS)('an archive in %s goes on here when the store is not set up any more', async (provider) => {
  const plain = await startTestServer()
  const { alice } = plain
  const setting = provider === 'tpuf' ? 'TURBOPUFFER_API_KEY' : 'PINECONE_API_KEY'
  const told = { error_message: expect.stringContaining(setting) }
  const archive_id = (await alice.post('/v1/archives/', { name: 'Left', embedding: 'cairn/lexical' })).body.id
  await sql`update archives set vector_db_provider = ${provider}`.execute(plain.database.kysely)
  const url = `/v1/archives/${archive_id}`
  const { id } = (await alice.post(`${url}/passages`, FACTS[0])).body
  await alice.post(`${url}/passages`, FACTS[1])
  const find = (search_mode: string) => search(alice, { query: 'bakery invoice', archive_id, search_mode })
  // What is to come to the store waits for it, and tells why.
  const work = { container_id: archive_id }
  const sync = syncContainer({}).handler(plain.scopeOf(plain.organizations.alice), work, AbortSignal.any([]))
  await expect(sync).rejects.toThrow(setting)
  expect((await alice.get(`${url}/embedding`)).body).toMatchObject({ status: 'failed', embedded: 2, ...told })
  expect(indexesOf(await find('vector'))).toEqual(['exact'])
  // As if it had come there before.
  await sql`update hosted_vectors set synced = changes`.execute(plain.database.kysely)
  for (const search_mode of ['vector', 'fts', 'hybrid']) {
    const [best] = await find(search_mode)
    expect(best!.passage.id).toBe(id)
    expect(best!.metadata.store_error).toEqual(told.error_message)
  }
  expect((await alice.delete(`${url}/passages/${id}`)).status).toBe(204)
  expect(textsOf(await find('vector'))).toEqual([BY_POST])
  expect((await alice.delete(url)).status).toBe(204)
  await plain.close()
})
