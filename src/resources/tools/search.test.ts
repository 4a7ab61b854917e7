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

describe('a search of tools', () => {
  test('finds words of names, descriptions, parameters and tags, in any inflection, names counting most', async () => {
    const { alice } = server
    const find = async (query: string) => names(await search(alice, { query, ...own }))
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
    const found = await search(server.alice, { query: 'invoice', ...own })
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
    expect(await search(server.alice, { query: 'invoice', search_mode: 'fts', ...own })).toEqual(found)
    expect(await search(server.alice, { query: 'invoice', search_mode: 'hybrid', ...own })).toEqual(found)
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

  test('by meaning is refused as long as there is no embedding model', async () => {
    const reply = await server.alice.post('/v1/tools/search', { query: 'invoice', search_mode: 'vector' })
    expect(reply.status).toBe(422)
    expect(reply.body.errors).toEqual([
      { in: 'body', field: 'search_mode', message: expect.stringContaining('no embedding model is set') },
    ])
  })

  test('sees the tools of the caller’s organization alone, and needs the right to read', async () => {
    expect(names(await search(server.bob, { query: 'invoice' }))).toEqual(['his_invoice'])
    const reader = await server.withScopes('read')
    expect(names(await search(reader, { query: 'invoice', ...own }))).toEqual(['sendInvoice', 'remind'])
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
    expect(await search(bob, { query: 'odd' })).toHaveLength(odd.length)
    const long = Array.from({ length: 40_000 }, (_, n) => `w${n}`).join(' ')
    const json_schema = { name: 'long', description: long, parameters: { properties: { a: { description: long } } } }
    const made = await bob.post('/v1/tools/', { source_code: 'pass', json_schema, tags: [long, 'x'.repeat(5000)] })
    expect(made.status).toBe(200)
    expect(names(await search(bob, { query: 'w1234' }))).toEqual(['long'])
  })

  test('follows every change', async () => {
    const { alice } = server
    const json_schema = { name: 'changing' }
    const { id } = (await alice.post('/v1/tools/', { source_code: 'pass', json_schema })).body
    expect(await search(alice, { query: 'quokka' })).toEqual([])
    await alice.patch(`/v1/tools/${id}`, { description: 'Feeds a quokka.' })
    expect(names(await search(alice, { query: 'quokkas' }))).toEqual(['changing'])
    await alice.delete(`/v1/tools/${id}`)
    expect(await search(alice, { query: 'quokka' })).toEqual([])
  })
})
