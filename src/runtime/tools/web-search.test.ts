import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../../../test/server.ts'
import { type Answer, type Asked, type Server, serve } from '../../../test/stand-ins/wire.ts'
import { callTool } from '../../../test/tool-calls.ts'
import { readConfig } from '../../config.ts'

const EXA = {
  title: 'Quinces',
  url: 'https://a.example/',
  publishedDate: '2026-01-01',
  author: 'Ada',
  highlights: ['h'],
  summary: 's',
  text: 't',
}

/** The services that search the web, by their paths; each knows one key. */
function answer({ path, headers, body }: Asked): Answer {
  const reply = (known: boolean, body: unknown) =>
    known ? { status: 200, body } : { status: 401, body: { error: 'no such key' } }
  if (path === '/exa/search')
    return reply(headers['x-api-key'] === 'exa-key', { results: Array(body.numResults).fill(EXA) })
  if (path === '/tavily/search') {
    const results = [{ title: 'Quinces', url: 'https://b.example/', content: 'c', raw_content: null, score: 1 }]
    return reply(headers.authorization === 'Bearer tavily-key', { results })
  }
  const results = [
    { title: 'Quinces', url: 'https://c.example/', description: 'd', page_age: '2026', extra_snippets: ['e'] },
  ]
  return reply(headers['x-subscription-token'] === 'brave-key', { web: { results } })
}

let services: Server
let server: TestServer
let keyed: TestServer
beforeAll(async () => {
  services = await serve(answer)
  const urls = Object.fromEntries(
    ['exa', 'tavily', 'brave'].map((name) => [`${name.toUpperCase()}_BASE_URL`, `${services.url}/${name}`]),
  )
  const start = (env: Record<string, string>) =>
    startTestServer({
      defaultModel: 'cairn/scripted',
      allowedNetworks: [],
      webSearch: readConfig({ ...urls, ...env }).webSearch,
    })
  server = await start({})
  keyed = await start({ TAVILY_API_KEY: 'tavily-key' })
})
afterAll(() => Promise.all([server.close(), keyed.close(), services.close()]))

async function search(at: TestServer, secrets: object, args: object) {
  const agent = (await at.bob.post('/v1/agents/', { name: 'Searcher', tools: ['web_search'], secrets })).body
  const { status, tool_return } = await callTool(at.bob, agent.id, 'web_search', { query: 'quinces', ...args })
  return { status, tool_return, found: status === 'success' ? JSON.parse(tool_return) : undefined }
}

const asked = () => services.asked.at(-1)!

describe('a search of the web', () => {
  test('is made by Exa with a key of the agent, and with every condition', async () => {
    const { found } = await search(
      server,
      { EXA_API_KEY: 'exa-key' },
      {
        num_results: 2,
        category: 'news',
        include_text: true,
        include_domains: ['a.example'],
        exclude_domains: ['z.example'],
        start_published_date: '2026-01-01',
        end_published_date: '2026-02-01',
        user_location: 'AT',
      },
    )
    expect(found).toEqual({
      query: 'quinces',
      results: Array(2).fill({
        title: 'Quinces',
        url: 'https://a.example/',
        published_date: '2026-01-01',
        author: 'Ada',
        text: 't',
        highlights: ['h'],
        summary: 's',
      }),
    })
    expect(asked().body).toMatchObject({
      query: 'quinces',
      numResults: 2,
      category: 'news',
      includeDomains: ['a.example'],
      excludeDomains: ['z.example'],
      startPublishedDate: '2026-01-01',
      endPublishedDate: '2026-02-01',
      userLocation: 'AT',
      contents: { text: { maxCharacters: 10_000 } },
    })
  })

  test('is made by Tavily or Brave with their keys', async () => {
    const conditions = {
      include_domains: ['a.example', 'b.example'],
      exclude_domains: ['z.example'],
      start_published_date: '2026-01-01T00:00:00Z',
      end_published_date: '2026-02-01',
    }
    const tavily = await search(server, { TAVILY_API_KEY: 'tavily-key' }, { ...conditions, num_results: 100 })
    expect(tavily.found.results).toEqual([{ title: 'Quinces', url: 'https://b.example/', highlights: ['c'] }])
    expect(asked().body).toMatchObject({
      max_results: 20,
      start_date: '2026-01-01',
      include_domains: ['a.example', 'b.example'],
    })
    const brave = await search(server, { BRAVE_API_KEY: 'brave-key' }, conditions)
    expect(brave.found.results).toEqual([
      { title: 'Quinces', url: 'https://c.example/', published_date: '2026', highlights: ['d', 'e'] },
    ])
    const query = new URLSearchParams(asked().path.split('?')[1])
    expect(query.get('q')).toBe('quinces site:a.example OR site:b.example -site:z.example')
    expect(query.get('freshness')).toBe('2026-01-01to2026-02-01')
  })

  test('is made with the key of the server, unless the agent has one', async () => {
    expect((await search(keyed, {}, {})).found.results[0].url).toBe('https://b.example/')
    expect((await search(keyed, { EXA_API_KEY: 'exa-key' }, {})).found.results[0].url).toBe('https://a.example/')
  })

  test('without a key, or with a wrong one, is an error that names the setting or the response, and no key', async () => {
    const none = await search(server, {}, {})
    expect([none.status, none.tool_return]).toEqual([
      'error',
      expect.stringContaining('EXA_API_KEY, TAVILY_API_KEY, or BRAVE_API_KEY'),
    ])
    const wrong = await search(server, { EXA_API_KEY: 'wrong-key' }, {})
    expect([wrong.status, wrong.tool_return]).toEqual(['error', expect.stringMatching(/401.*no such key/)])
    expect(wrong.tool_return).not.toContain('wrong-key')
  })

  test('that a caller runs without a key is a 422 that names the setting', async () => {
    const { id } = (await server.bob.post('/v1/agents/', { name: 'Searcher', tools: ['web_search'] })).body
    const { status, body } = await server.bob.post(`/v1/agents/${id}/tools/web_search/run`, {
      args: { query: 'quinces' },
    })
    expect([status, body.detail]).toEqual([
      422,
      expect.stringContaining('EXA_API_KEY, TAVILY_API_KEY, or BRAVE_API_KEY'),
    ])
  })
})
