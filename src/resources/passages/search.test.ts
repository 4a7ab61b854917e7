import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type Client, startTestServer, type TestServer } from '../../../test/server.ts'
import type { Scope } from '../../db/scope.ts'
import { lexical, lexicalVector } from '../../embed/lexical.ts'
import { ApiError } from '../../lib/errors.ts'
import { type Embedders, modelKey } from '../models/embedding.ts'
import { DEFAULT_EMBEDDING } from '../models/handles.ts'
import { insertPassages, type NewPassage } from './insert.ts'
import { prepareSearch } from './prepare-search.ts'
import { searchPassages } from './search.ts'
import type { FoundPassage, SearchPassages } from './search-schema.ts'
import { insertVectors } from './vectors.ts'

let server: TestServer
let hers: Scope
let his: Scope
/** Facts of hers, with vectors. */
let facts: string
/** Texts of hers, without a model. */
let texts: string

async function makeArchive(client: Client, embedding?: string): Promise<string> {
  return (await client.post('/v1/archives/', { name: 'Archive', embedding })).body.id
}

async function add(scope: Scope, archive_id: string, list: NewPassage[], vectors = true): Promise<string[]> {
  const texts = list.map(({ text }) => text)
  const made = vectors ? { model: modelKey(DEFAULT_EMBEDDING), vectors: texts.map(lexicalVector) } : undefined
  return (await insertPassages(scope, { archive_id }, list, made)).map(({ id }) => id)
}

const day = (text: string) => new Date(`${text}T12:00:00Z`)

beforeAll(async () => {
  server = await startTestServer()
  hers = server.scopeOf(server.organizations.alice)
  his = server.scopeOf(server.organizations.bob)
  facts = await makeArchive(server.alice, 'cairn/lexical')
  texts = await makeArchive(server.alice)
  await server.alice.patch(`/v1/archives/${texts}`, { embedding: null })
  await add(hers, facts, [
    { text: 'The invoice of the bakery is due on Friday.', tags: ['money', 'due'], created_at: day('2026-03-01') },
    { text: 'Invoices are sent by post.', tags: ['money'], created_at: day('2026-03-02') },
    { text: 'The garden wants water in summer.', tags: ['home', 'due'], created_at: day('2026-03-03') },
    { text: 'A bakery sells bread, and cakes on Sundays.', tags: ['food'], created_at: day('2026-03-04') },
  ])
  await add(hers, texts, [{ text: 'An old letter about an invoice.', created_at: day('2026-02-01') }], false)
  await add(his, await makeArchive(server.bob, 'cairn/lexical'), [
    { text: 'His invoice of the bakery.', tags: ['money'], created_at: day('2026-03-01') },
  ])
})
afterAll(() => server.close())

async function search(client: Client, body: object): Promise<FoundPassage[]> {
  const reply = await client.post('/v1/passages/search', body)
  expect([reply.status, reply.body.detail]).toEqual([200, undefined])
  return reply.body
}
const textsOf = (found: FoundPassage[]) => found.map(({ passage }) => passage.text)

const INVOICE_DUE = 'The invoice of the bakery is due on Friday.'

describe('a search of passages', () => {
  test('by words finds those that fit the whole query first, then those with any of its words', async () => {
    const found = await search(server.alice, { query: 'bakery invoices', archive_id: facts, search_mode: 'fts' })
    expect(textsOf(found).slice(0, 1)).toEqual([INVOICE_DUE])
    expect(textsOf(found).slice(1).sort()).toEqual([
      'A bakery sells bread, and cakes on Sundays.',
      'Invoices are sent by post.',
    ])
    expect(found.map(({ score }) => score > 1)).toEqual([true, false, false])
    for (const [n, { score, metadata }] of found.entries()) {
      expect(metadata).toEqual({ search_mode: 'fts', rank: n + 1, indexes: ['fts'], fts_score: score, fts_rank: n + 1 })
    }
    const quoted = await search(server.alice, { query: '"bakery sells" -invoice', search_mode: 'fts' })
    expect(textsOf(quoted)[0]).toBe('A bakery sells bread, and cakes on Sundays.')
    expect(await search(server.alice, { query: 'zebra', search_mode: 'fts' })).toEqual([])
  })

  test('by vectors ranks by cosine similarity, exactly where there are few', async () => {
    const query = 'an invoice from the bakery'
    const found = await search(server.alice, { query, archive_id: facts, search_mode: 'vector' })
    const cosine = (text: string) =>
      lexicalVector(text).reduce((sum, value, at) => sum + value * lexicalVector(query)[at]!, 0)
    expect(found).toHaveLength(4)
    for (const [n, { passage, score, metadata }] of found.entries()) {
      expect(score).toBeCloseTo(cosine(passage.text), 5)
      expect(metadata).toEqual({
        search_mode: 'vector',
        rank: n + 1,
        indexes: ['exact'],
        vector_score: score,
        vector_rank: n + 1,
        embedding_model: 'cairn/lexical',
      })
    }
    expect(found.map(({ score }) => score)).toEqual(found.map(({ score }) => score).toSorted((a, b) => b - a))
  })

  test('by both joins the ranks of each, and tells them', async () => {
    const found = await search(server.alice, { query: 'bakery invoice', archive_id: facts })
    const [best] = found
    expect(best!.passage.text).toBe(INVOICE_DUE)
    expect(best!.metadata).toMatchObject({ search_mode: 'hybrid', rank: 1, indexes: ['fts', 'exact'] })
    for (const { score, metadata } of found) {
      const { vector_rank, fts_rank } = metadata
      const fused = [vector_rank, fts_rank].reduce((sum: number, rank) => sum + (rank ? 1 / (60 + rank) : 0), 0)
      expect(score).toBeCloseTo(fused, 10)
    }
    expect(await search(server.alice, { query: 'bakery invoice', archive_id: facts, limit: 1 })).toEqual([best])
  })

  test('gives the passage as it is, with its vector when asked', async () => {
    const [found] = await search(server.alice, { query: 'garden', archive_id: facts, include: ['passage.embedding'] })
    expect(found!.passage).toMatchObject({
      archive_id: facts,
      text: 'The garden wants water in summer.',
      tags: ['home', 'due'],
      created_at: '2026-03-03T12:00:00.000Z',
      embedding_config: DEFAULT_EMBEDDING,
    })
    expect(found!.passage.embedding).toHaveLength(512)
    const [plain] = await search(server.alice, { query: 'garden', archive_id: facts })
    expect(plain!.passage).not.toHaveProperty('embedding')
  })

  test('without a query lists the newest first', async () => {
    for (const body of [{}, { query: null }, { query: '  ' }]) {
      const found = await search(server.alice, { ...body, archive_id: facts, limit: 2 })
      expect(textsOf(found)).toEqual([
        'A bakery sells bread, and cakes on Sundays.',
        'The garden wants water in summer.',
      ])
      expect(found[1]).toMatchObject({ score: 0, metadata: { search_mode: 'list', rank: 2, indexes: [] } })
    }
    expect(await search(server.alice, {})).toHaveLength(5)
  })

  test.each(['vector', 'fts', 'hybrid'])('(%s) keeps to tags and dates before it counts to the limit', async (mode) => {
    const find = async (body: object) =>
      textsOf(await search(server.alice, { query: 'invoice due', search_mode: mode, archive_id: facts, ...body }))
    expect(await find({ tags: ['money', 'due'], tag_match_mode: 'all', limit: 1 })).toEqual([INVOICE_DUE])
    expect(await find({ tags: ['home'], limit: 1 })).toEqual(
      mode === 'fts' ? [] : ['The garden wants water in summer.'],
    )
    expect(await find({ tags: ['none'] })).toEqual([])
    expect((await find({ tags: ['money'] })).sort()).toEqual(['Invoices are sent by post.', INVOICE_DUE])
    expect(await find({ start_date: '2026-03-02', end_date: '2026-03-02' })).toEqual(['Invoices are sent by post.'])
    expect(await find({ end_date: '2026-03-01' })).toEqual([INVOICE_DUE])
    expect(await find({ end_date: '2026-03-01T12:00:00Z' })).toEqual([INVOICE_DUE])
    expect(await find({ end_date: '2026-03-01T11:59:59.999Z' })).toEqual([])
    expect(await find({ start_date: '2026-03-01T12:00:00.001Z', tags: ['money'] })).toEqual([
      'Invoices are sent by post.',
    ])
  })

  test('of an archive without a model goes by words', async () => {
    const query = 'invoice letter'
    const found = await search(server.alice, { query, archive_id: texts })
    expect(found).toMatchObject([{ metadata: { search_mode: 'fts', rank: 1, indexes: ['fts'], fts_rank: 1 } }])
    const body = { query, archive_id: texts, search_mode: 'vector' }
    const refused = await server.alice.post('/v1/passages/search', body)
    expect([refused.status, refused.body.errors[0].field]).toEqual([422, 'search_mode'])
    expect(textsOf(await search(server.alice, { query }))).toContain('An old letter about an invoice.')
  })

  test('of an agent looks into its archive alone', async () => {
    const { id } = (await server.alice.post('/v1/agents/', { name: 'Agent' })).body
    expect(await search(server.alice, { query: 'invoice', agent_id: id })).toEqual([])
    expect(await search(server.alice, { query: 'invoice', agent_id: id, search_mode: 'vector' })).toEqual([])
    await server.alice.patch(`/v1/agents/${id}/archives/attach/${texts}`)
    const found = await search(server.alice, { query: 'invoice', agent_id: id, archive_id: facts })
    expect(textsOf(found)).toEqual(['An old letter about an invoice.'])
  })

  test("never shows another organization's passages", async () => {
    for (const search_mode of ['vector', 'fts', 'hybrid']) {
      const found = await search(server.bob, { query: 'invoice of the bakery', search_mode })
      expect(textsOf(found)).toEqual(['His invoice of the bakery.'])
    }
    expect(textsOf(await search(server.bob, {}))).toEqual(['His invoice of the bakery.'])
    const foreign = await server.bob.post('/v1/passages/search', { query: 'invoice', archive_id: facts })
    expect(foreign.status).toBe(404)
  })

  test('takes any text for a query, up to 4,000 characters', async () => {
    const odd = ["it's", '&', '!(', "a' | b", 'invoice:* & x', '\\', "\\'", '%', '<->', '"', '-', 'or', '-or -', ':*']
    for (const query of [...odd, "'", 'http://a.b/?c=1&d=2', '🙂', 'a '.repeat(2000), 'x'.repeat(4000)]) {
      for (const search_mode of ['vector', 'fts', 'hybrid']) await search(server.alice, { query, search_mode })
    }
    for (const body of [
      { query: 'x'.repeat(100_000) },
      { query: 'a\0b' },
      { query: '\ud800' },
      { query: 'a', limit: 0 },
      { query: 'a', limit: 101 },
      { query: 'a', tags: ['x'.repeat(501)] },
      { query: 'a', search_mode: 'best' },
      { query: 'a', start_date: 'yesterday' },
      { query: 'a', end_date: '2026-02-30' },
      { query: 'a', end_date: '2026-02-01T25:00' },
      { start_date: '2026-13-01' },
    ]) {
      expect([body, (await server.alice.post('/v1/passages/search', body)).status]).toEqual([body, 422])
    }
  })
})

describe('the archival memory of an agent', () => {
  test('is searched by its clock, and answers by it', async () => {
    const { id } = (await server.alice.post('/v1/agents/', { name: 'Berlin', timezone: 'Europe/Berlin' })).body
    const archive = await makeArchive(server.alice, 'cairn/lexical')
    await server.alice.patch(`/v1/agents/${id}/archives/attach/${archive}`)
    const [late] = await add(hers, archive, [
      { text: 'Late in the evening.', tags: ['a'], created_at: new Date('2026-07-01T21:30:00Z') },
      { text: 'After midnight.', created_at: new Date('2026-07-01T22:30:00Z') },
    ])
    const find = async (query: string) =>
      (await server.alice.get(`/v1/agents/${id}/archival-memory/search?${query}`)).body
    expect(await find('query=evening&end_datetime=2026-07-01')).toEqual({
      results: [{ id: late, timestamp: '2026-07-01T23:30:00.000+02:00', content: 'Late in the evening.', tags: ['a'] }],
      count: 1,
    })
    const contents = async (query: string) => (await find(query)).results.map((hit: { content: string }) => hit.content)
    expect(await contents('query=midnight&start_datetime=2026-07-02')).toEqual(['After midnight.'])
    expect(await contents('query=evening&end_datetime=2026-07-01T23:30')).toEqual(['Late in the evening.'])
    expect(await contents('query=evening&end_datetime=2026-07-01T23:30Z')).toHaveLength(2)
    expect(await contents('query=midnight&tags=a')).toEqual(['Late in the evening.'])
    expect(await contents('query=midnight&top_k=1')).toEqual(['After midnight.'])
    expect(await contents('query=midnight&search_mode=fts')).toEqual(['After midnight.'])
    expect(await find('query=%20')).toEqual({ results: [], count: 0 })
    const bad = await server.alice.get(`/v1/agents/${id}/archival-memory/search?query=a&start_datetime=soon`)
    expect([bad.status, bad.body.errors[0].field]).toEqual([422, 'start_datetime'])
    expect((await server.bob.get(`/v1/agents/${id}/archival-memory/search?query=a`)).status).toBe(404)
  })
})

/** A search whose embedders are the caller's, whatever the model. */
async function searchWith(embedders: Embedders, body: SearchPassages, scanLimit?: number): Promise<FoundPassage[]> {
  const search = await prepareSearch(hers, { embedders, stores: {} }, body)
  return JSON.parse((await searchPassages(hers, search, body, new AbortController().signal, scanLimit)).text)
}
const ofLexical: Embedders = { of: async () => lexical }

describe('several models', () => {
  const turned = {
    ...DEFAULT_EMBEDDING,
    handle: 'test/turned',
    embedding_endpoint_type: 'openai',
    embedding_model: 'turned',
  } as const
  const turn = (vector: number[]) => vector.toReversed()
  const both: Embedders = {
    of: async (_, { embedding_model }) =>
      embedding_model === 'turned'
        ? { ...lexical, embed: async (all) => (await lexical.embed(all, 'query')).map(turn) }
        : lexical,
  }

  test('each answer for their archives, joined by rank; vectors of a model to come are not looked at', async () => {
    const other = (await server.alice.post('/v1/archives/', { name: 'Turned', embedding_config: turned })).body.id
    const list = [{ text: 'A kangaroo in the zoo.' }, { text: 'Nothing of that kind.' }]
    await insertPassages(hers, { archive_id: other }, list, {
      model: modelKey(turned),
      vectors: list.map(({ text }) => turn(lexicalVector(text))),
    })
    // It goes over to the other model; as long as it hasn't, the old vectors answer.
    const moving = await makeArchive(server.alice, 'cairn/lexical')
    const [id] = await add(hers, moving, [{ text: 'Another kangaroo, on the move.' }])
    await insertVectors(hers, moving, [id!], { model: modelKey(turned), vectors: [turn(lexicalVector('kangaroo'))] })
    await sql`update archives set serving_config = embedding_config, embedding_config = ${JSON.stringify(turned)}::jsonb
      where id = ${moving}`.execute(server.database.kysely)

    const found = await searchWith(both, { query: 'kangaroo', search_mode: 'vector', limit: 2 })
    expect(textsOf(found).sort()).toEqual(['A kangaroo in the zoo.', 'Another kangaroo, on the move.'])
    expect(found.map(({ score }) => score)).toEqual([1 / 61, 1 / 61])
    const models = Object.fromEntries(found.map(({ passage, metadata }) => [passage.text, metadata.embedding_model]))
    expect(models).toEqual({
      'A kangaroo in the zoo.': 'test/turned',
      'Another kangaroo, on the move.': 'cairn/lexical',
    })
    await sql`delete from archives where id in (${other}, ${moving})`.execute(server.database.kysely)
  })

  test('that fail fail a search by vectors; a hybrid one goes on by words and says so', async () => {
    const failing: Embedders = {
      of: async () => {
        throw new ApiError('bad_gateway', 'The model does not answer.')
      },
    }
    const body = { query: 'garden', archive_id: facts }
    await expect(searchWith(failing, { ...body, search_mode: 'vector' })).rejects.toThrow('does not answer')
    const found = await searchWith(failing, body)
    expect(textsOf(found)).toEqual(['The garden wants water in summer.'])
    expect(found[0]!.metadata).toMatchObject({ search_mode: 'fts', vector_error: 'The model does not answer.' })
  })
})

describe('the vector index', () => {
  const ALL = Number.MAX_SAFE_INTEGER - 1
  let archive: string
  beforeAll(async () => {
    archive = await makeArchive(server.alice, 'cairn/lexical')
    const word = (n: number) => `w${(n * 7919) % 97}`
    const list = Array.from({ length: 400 }, (_, n) => ({
      text: `${word(n)} ${word(n + 3)} ${word(n * n)} number${n}`,
      tags: [`tenth${n % 10}`],
    }))
    await add(hers, archive, list)
    await sql`analyze embeddings`.execute(server.database.kysely)
  })

  const ids = (found: FoundPassage[]) => found.map(({ passage }) => passage.id)
  const indexesOf = (found: FoundPassage[]) => [...new Set(found.flatMap(({ metadata }) => metadata.indexes))]

  test('finds what comparing every vector finds', async () => {
    let same = 0
    for (let n = 0; n < 20; n++) {
      const body: SearchPassages = { query: `w${n} w${n + 5}`, search_mode: 'vector', archive_id: archive, limit: 10 }
      const exact = await searchWith(ofLexical, body, ALL)
      const indexed = await searchWith(ofLexical, body, -1)
      expect([indexesOf(exact), indexesOf(indexed)]).toEqual([['exact'], ['hnsw']])
      same += ids(indexed).filter((id) => ids(exact).includes(id)).length
    }
    expect(same).toBeGreaterThanOrEqual(190)
  })

  test('is left where it gives fewer than there are, so that a filter costs no hit', async () => {
    for (const tags of [['tenth3'], ['tenth3', 'tenth4']]) {
      const body: SearchPassages = { query: 'w1 w2', search_mode: 'vector', archive_id: archive, tags, limit: 100 }
      const found = await searchWith(ofLexical, body, -1)
      expect(found).toHaveLength(40 * tags.length)
      expect(ids(found)).toEqual(ids(await searchWith(ofLexical, body, ALL)))
    }
  })

  test('is what the statement reads, whatever values it is planned for', async () => {
    const query = vi.spyOn(pg.Client.prototype, 'query')
    const body: SearchPassages = { query: 'w1', archive_id: archive, tags: ['tenth1'] }
    await searchWith(ofLexical, body, -1)
    const sent = query.mock.calls.map(([first]) => first as unknown as { text: string; values: unknown[] })
    query.mockRestore()
    const { text, values } = sent.find(({ text }) => text?.includes('near_0'))!
    await server.database.transaction(async (trx) => {
      const run = (statement: string) => sql.raw(statement).execute(trx)
      const literal = (value: unknown): string =>
        Array.isArray(value)
          ? `array[${value.map(literal).join()}]`
          : typeof value === 'number'
            ? String(value)
            : `'${String(value).replaceAll("'", "''")}'`
      await run(`prepare found as ${text}`)
      // On so few rows reading them all is the cheaper way: the index is told to be free to choose.
      await run('set local enable_seqscan = off')
      for (const mode of ['force_custom_plan', 'force_generic_plan']) {
        await run(`set local plan_cache_mode = ${mode}`)
        const { rows } = await run(
          `explain execute found (${values.map((v) => (v === null ? 'null' : literal(v))).join()})`,
        )
        const plan = (rows as { 'QUERY PLAN': string }[]).map((row) => row['QUERY PLAN']).join('\n')
        expect(plan).toMatch(/Index Scan using embeddings_512 /)
      }
      await run('deallocate found')
    })
  })
})

test('a search costs two statements, however much there is', async () => {
  const count = async (body: object) => {
    await server.alice.get('/v1/groups/count')
    const query = vi.spyOn(pg.Client.prototype, 'query')
    await search(server.alice, body)
    const texts = query.mock.calls.map(([first]) => (first as unknown as { text?: string }).text ?? String(first))
    query.mockRestore()
    return texts.filter((text) => /\b(archives|passages|embeddings)\b/.test(text)).length
  }
  for (const body of [
    {},
    { query: 'invoice' },
    { query: 'invoice', archive_id: facts, tags: ['money'], include: ['passage.embedding'], limit: 1 },
    { query: 'invoice', search_mode: 'vector', limit: 100 },
  ]) {
    expect([body, await count(body)]).toEqual([body, 2])
  }
})

test('a query of many dashes is a search like any other', async () => {
  for (const query of ['-'.repeat(4_000), `${'- '.repeat(40)}kettle`, '-('.repeat(40), `${'-|'.repeat(41)}kettle`]) {
    const { status } = await server.alice.post('/v1/passages/search', { query, archive_id: texts })
    expect([query.slice(0, 4), status]).toEqual([query.slice(0, 4), 200])
  }
})
