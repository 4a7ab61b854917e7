import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Client, startTestServer, type TestServer } from '../../../test/server.ts'
import type { FoundTool } from './schema.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
  const { alice, bob } = server
  await make(alice, 'get_weather', 'Tells the forecast of a city.', { city: 'Where to look.' }, ['outdoors'])
  await make(alice, 'sendInvoice', 'Bills a customer.', { amount: 'Sum in euros.' }, ['billing', 'money'])
  await make(alice, 'remind', 'Reminds of an invoice that is due.', {}, ['billing'])
  await make(bob, 'his_invoice', 'Bills a customer of his.')
})
afterAll(() => server.close())

async function make(client: Client, name: string, description: string, about: object = {}, tags: string[] = []) {
  const properties = Object.fromEntries(
    Object.entries(about).map(([parameter, text]) => [parameter, { type: 'string', description: text }]),
  )
  const json_schema = { name, description, parameters: { type: 'object', properties } }
  expect((await client.post('/v1/tools/', { source_code: 'pass', json_schema, tags })).status).toBe(200)
}

async function search(client: Client, body: object): Promise<FoundTool[]> {
  const reply = await client.post('/v1/tools/search', body)
  expect(reply.status).toBe(200)
  return reply.body
}
const names = (found: FoundTool[]) => found.map(({ tool }) => tool.name)
const own = { tool_types: ['custom'] }
const words = { search_mode: 'fts' }
const vectors = { search_mode: 'vector' }

describe('a search of tools by words', () => {
  test('finds words of names, descriptions, parameters and tags, in any inflection, names counting most', async () => {
    const { alice } = server
    const find = async (query: string) => names(await search(alice, { query, ...words, ...own }))
    expect(await find('invoices')).toEqual(['sendInvoice', 'remind'])
    expect(await find('forecasts')).toEqual(['get_weather'])
    expect(await find('euro')).toEqual(['sendInvoice'])
    expect(await find('CITY')).toEqual(['get_weather'])
    expect(await find('outdoor')).toEqual(['get_weather'])
    expect(await find('get_weather')).toEqual(['get_weather'])
    expect(await find('is there an invoice about the weather?')).toHaveLength(3)
    expect(await find('the')).toEqual([])
    expect(await find('zebra')).toEqual([])
    for (const query of ["it's", '&', '!(', "a' | b", 'invoice:* & x', '\\', '%', '<->']) await find(query)
  })

  test('gives each place and score, and the text it has read', async () => {
    const found = await search(server.alice, { query: 'invoice', ...words, ...own })
    expect(found.map(({ tool, ...rest }) => rest)).toEqual([
      {
        embedded_text: 'sendInvoice\nBills a customer.\namount: Sum in euros.\nbilling money',
        fts_rank: 1,
        combined_score: 1 / 61,
      },
      {
        embedded_text: 'remind\nReminds of an invoice that is due.\nbilling',
        fts_rank: 2,
        combined_score: 1 / 62,
      },
    ])
    const { id } = found[0]!.tool
    expect(found[0]!.tool).toEqual((await server.alice.get(`/v1/tools/${id}`)).body)
  })
})

describe('a search of tools by vectors', () => {
  test('finds the nearest first, whatever the form of the words, and tells their places', async () => {
    const { alice } = server
    const found = await search(alice, { query: 'weather forecasting for cities', ...vectors, ...own })
    expect(names(found)[0]).toBe('get_weather')
    expect(found.map(({ vector_rank, combined_score }) => [vector_rank, combined_score])).toEqual(
      found.map((_, n) => [n + 1, 1 / (61 + n)]),
    )
    expect(found).toHaveLength(3)
    for (const hit of found) expect(hit).not.toHaveProperty('fts_rank')
    expect(found[0]!.tool).toEqual((await alice.get(`/v1/tools/${found[0]!.tool.id}`)).body)
    expect(found[0]!.embedded_text).toContain('Tells the forecast of a city.')
    // A misspelled word is no word of any tool.
    expect(await search(alice, { query: 'wether', ...words, ...own })).toEqual([])
    expect(names(await search(alice, { query: 'wether', ...vectors, ...own }))[0]).toBe('get_weather')
    expect(names(await search(alice, { query: 'send an invoice', ...vectors, ...own }))[0]).toBe('sendInvoice')
  })

  test('keeps to types, tags and limit', async () => {
    const { alice } = server
    const about = { query: 'weather', ...vectors }
    expect(names(await search(alice, { ...about, tags: ['money', 'none'] }))).toEqual(['sendInvoice'])
    expect(names(await search(alice, { ...about, ...own, limit: 1 }))).toEqual(['get_weather'])
    expect(await search(alice, { ...about, tool_types: [] })).toEqual([])
  })

  test('follows every change of a tool, and forgets a deleted one', async () => {
    const { alice } = server
    const tags = ['followed']
    await make(alice, 'steady', 'Waters the plants.', {}, tags)
    const json_schema = { name: 'turning', description: 'Opens a window.' }
    const { id } = (await alice.post('/v1/tools/', { source_code: 'pass', json_schema, tags })).body
    const first = async () => names(await search(alice, { query: 'gardening of plants', ...vectors, tags }))
    expect(await first()).toEqual(['steady', 'turning'])
    await alice.patch(`/v1/tools/${id}`, { description: 'Gardening of plants.' })
    expect(await first()).toEqual(['turning', 'steady'])
    await alice.delete(`/v1/tools/${id}`)
    expect(await first()).toEqual(['steady'])
    const [left] = await search(alice, { tags })
    await alice.delete(`/v1/tools/${left!.tool.id}`)
  })
})

describe('a search of tools', () => {
  test('goes by words and vectors unless told otherwise: the places in both make the score', async () => {
    const { alice } = server
    const ranks = async (mode: object) =>
      new Map((await search(alice, { query: 'invoice due', ...mode, ...own })).map((hit) => [hit.tool.name, hit]))
    const [byWords, byVectors, both] = [await ranks(words), await ranks(vectors), await ranks({})]
    expect(await ranks({ search_mode: 'hybrid' })).toEqual(both)
    expect([...both.keys()].slice(0, 2).sort()).toEqual(['remind', 'sendInvoice'])
    const score = (rank: number | undefined) => (rank ? 1 / (60 + rank) : 0)
    for (const [name, { fts_rank, vector_rank, combined_score }] of both) {
      expect(fts_rank).toBe(byWords.get(name!)?.fts_rank)
      expect(vector_rank).toBe(byVectors.get(name!)?.vector_rank)
      expect(combined_score).toBeCloseTo(score(fts_rank) + score(vector_rank), 12)
    }
    const scores = [...both.values()].map(({ combined_score }) => combined_score)
    expect(scores).toEqual([...scores].sort((a, b) => b - a))
    expect(both.get('get_weather')).toMatchObject({ vector_rank: 3, combined_score: 1 / 63 })
    expect(both.get('get_weather')).not.toHaveProperty('fts_rank')
  })

  test('keeps to types, tags and limit, and without a query shows the newest', async () => {
    const { alice } = server
    expect(names(await search(alice, { query: 'invoice', tags: ['money', 'none'] }))).toEqual(['sendInvoice'])
    expect(names(await search(alice, { ...own, limit: 2 }))).toEqual(['remind', 'sendInvoice'])
    const [newest] = await search(alice, { tags: ['billing'], query: '  ' })
    expect(newest).toMatchObject({ tool: { name: 'remind' }, combined_score: 0 })
    expect(newest).not.toHaveProperty('fts_rank')
    expect(names(await search(alice, { query: 'send message user', tool_types: ['svc_core'] }))[0]).toBe('send_message')
    expect(await search(alice, { query: 'invoice', tool_types: [] })).toEqual([])
    for (const body of [
      { limit: 0 },
      { limit: 101 },
      { tool_types: ['magic'] },
      { search_mode: 'best' },
      { query: 'x'.repeat(2001) },
      { q: 'x' },
    ]) {
      expect((await alice.post('/v1/tools/search', body)).status).toBe(422)
    }
  })

  test('sees the tools of the caller’s organization alone, and needs the right to read', async () => {
    const reader = await server.withScopes('read')
    for (const search_mode of ['fts', 'vector', 'hybrid']) {
      const asked = { query: 'bills a customer for an invoice', search_mode, ...own }
      expect(names(await search(server.bob, asked))).toEqual(['his_invoice'])
      const hers = names(await search(reader, asked))
      expect(hers).toContain('sendInvoice')
      expect(hers).not.toContain('his_invoice')
    }
  })

  test('takes schemas of any shape and texts of any length', async () => {
    const { bob } = server
    const odd = [
      [],
      7,
      'text',
      { properties: 'text' },
      { properties: [1] },
      { properties: { a: 1, b: { description: [] } } },
    ]
    for (const [n, parameters] of odd.entries()) {
      const body = { source_code: 'pass', json_schema: { name: `odd_${n}`, parameters } }
      expect((await bob.post('/v1/tools/', body)).status).toBe(200)
    }
    expect(await search(bob, { query: 'odd', ...words })).toHaveLength(odd.length)
    const long = Array.from({ length: 40_000 }, (_, n) => `w${n}`).join(' ')
    const json_schema = { name: 'long', description: long, parameters: { properties: { a: { description: long } } } }
    const made = await bob.post('/v1/tools/', { source_code: 'pass', json_schema, tags: ['x'.repeat(500)] })
    expect(made.status).toBe(200)
    expect(names(await search(bob, { query: 'w1234', ...words }))).toEqual(['long'])
    expect(names(await search(bob, { query: 'w12', ...vectors }))).toContain('long')
  })

  test('follows every change', async () => {
    const { alice } = server
    const json_schema = { name: 'changing' }
    const { id } = (await alice.post('/v1/tools/', { source_code: 'pass', json_schema })).body
    expect(await search(alice, { query: 'quokka', ...words })).toEqual([])
    await alice.patch(`/v1/tools/${id}`, { description: 'Feeds a quokka.' })
    expect(names(await search(alice, { query: 'quokkas', ...words }))).toEqual(['changing'])
    await alice.delete(`/v1/tools/${id}`)
    expect(await search(alice, { query: 'quokka', ...words })).toEqual([])
  })
})
