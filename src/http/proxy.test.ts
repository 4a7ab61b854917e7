import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../../test/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer({ basePath: '/cairn', trustProxy: ['10.0.0.0/8'] })
  for (const name of ['a', 'b', 'c']) await server.alice.post('/v1/archives/', { name })
})
afterAll(() => server.close())

const PROXY = '10.1.2.3'
const STRANGER = '192.0.2.7'

const get = (url: string, headers: Record<string, string> = {}, remoteAddress = STRANGER) =>
  server.app.inject({ url, remoteAddress, headers: { authorization: `Bearer ${server.alice.key}`, ...headers } })

const nextOf = (response: Awaited<ReturnType<typeof get>>) =>
  /^<([^>]+)>; rel="next"$/.exec(String(response.headers.link))?.[1]

describe('under a base path', () => {
  test('every path works with and without it, so that a proxy may remove it or not', async () => {
    for (const path of ['/v1/archives/', '/v1/archives?limit=1', '/v1/health', '/openapi.json', '/docs/']) {
      expect([path, (await get(path)).statusCode]).toEqual([path, 200])
      expect([path, (await get(`/cairn${path}`)).statusCode]).toEqual([path, 200])
    }
    for (const path of ['/cairnv1/archives', '/cairn2/v1/archives', '/cairn', '/cairn?x', '/cairn/cairn/v1/archives']) {
      expect([path, (await get(path)).statusCode]).toEqual([path, 404])
    }
  })

  test.each(['', '/cairn'])('following Link leads through the proxy to every row: at "%s/v1"', async (prefix) => {
    const seen: string[] = []
    for (let next: string | undefined = `${prefix}/v1/archives/?limit=1`; next; ) {
      const response = await get(next)
      seen.push(...response.json().map(({ name }: { name: string }) => name))
      next = nextOf(response)
      if (next) expect(next).toMatch(/^\/cairn\/v1\/archives\/\?/)
    }
    expect(seen).toEqual(['c', 'b', 'a'])
  })

  test('the document names it, and the page finds its parts beside it', async () => {
    for (const path of ['/openapi.json', '/cairn/openapi.json']) {
      expect((await get(path)).json().servers).toEqual([{ url: '/cairn' }])
    }
    const bare = await get('/cairn/docs')
    expect(bare.statusCode).toBe(302)
    const page = new URL(String(bare.headers.location), 'http://host/cairn/docs')
    expect(page.pathname).toBe('/cairn/docs/')
    const html = await get(page.pathname)
    expect(html.headers['content-type']).toContain('text/html')
    const parts = [...html.body.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, part]) => new URL(part!, page).pathname)
    parts.push(new URL(/"url": "([^"]+)"/.exec(html.body)![1]!, page).pathname)
    expect(parts).toEqual(['/cairn/docs/js/scalar.js', '/cairn/openapi.json'])
    for (const part of parts) expect([part, (await get(part)).statusCode]).toEqual([part, 200])
  })
})

describe('X-Forwarded headers', () => {
  const page = '/v1/archives/?limit=1'

  test('of a trusted proxy report the removed prefix', async () => {
    const response = await get(page, { 'x-forwarded-prefix': '/tools/memory/' }, PROXY)
    expect(nextOf(response)).toMatch(/^\/tools\/memory\/v1\/archives\/\?/)
    expect((await get('/openapi.json', { 'x-forwarded-prefix': '/x' }, PROXY)).json().servers).toEqual([{ url: '/x' }])
    expect(nextOf(await get(page, { 'x-forwarded-prefix': '/' }, PROXY))).toMatch(/^\/v1\/archives\/\?/)
  })

  test('of others are not trusted, and neither is an invalid path', async () => {
    expect(nextOf(await get(page, { 'x-forwarded-prefix': '/evil' }))).toMatch(/^\/cairn\/v1\//)
    for (const prefix of ['//evil.example', 'https://evil.example', '/a>; rel="x"', '/a/../b', '/a b', 'a']) {
      expect([prefix, nextOf(await get(page, { 'x-forwarded-prefix': prefix }, PROXY))]).toEqual([
        prefix,
        expect.stringMatching(/^\/cairn\/v1\//),
      ])
    }
  })
})
