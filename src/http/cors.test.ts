import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../../test/server.ts'

const HOME = 'https://app.example.com'

const ask = (server: TestServer, method: 'GET' | 'OPTIONS' | 'DELETE', url: string, headers: Record<string, string>) =>
  server.app.inject({ method, url, headers })

const preflight = (server: TestServer, origin: string, url = '/v1/blocks/') =>
  ask(server, 'OPTIONS', url, {
    origin,
    'access-control-request-method': 'PATCH',
    'access-control-request-headers': 'authorization,content-type,idempotency-key',
  })

describe('a page of an origin that is allowed', () => {
  let server: TestServer
  beforeAll(async () => {
    server = await startTestServer({ corsOrigins: [HOME, 'http://localhost:5173'] })
  })
  afterAll(() => server.close())

  test.each([HOME, 'http://localhost:5173'])(
    'gets the permitted methods and headers, without a key: %s',
    async (origin) => {
      for (const url of ['/v1/blocks/', '/v1/blocks', '/v1/nothing']) {
        const { statusCode, headers } = await preflight(server, origin, url)
        expect([statusCode, headers['access-control-allow-origin']]).toEqual([204, origin])
        expect(headers['access-control-allow-methods']).toBe('GET, HEAD, POST, PUT, PATCH, DELETE')
        expect(headers['access-control-allow-headers']).toBe('authorization,content-type,idempotency-key')
        expect(headers['access-control-allow-credentials']).toBeUndefined()
      }
    },
  )

  test('reads responses, errors, and the headers for paging, limits and retries', async () => {
    const key = { authorization: `Bearer ${server.alice.key}` }
    for (const [headers, status] of [
      [key, 200],
      [{}, 401],
    ] as const) {
      const response = await ask(server, 'GET', '/v1/blocks/', { origin: HOME, ...headers })
      expect([response.statusCode, response.headers['access-control-allow-origin']]).toEqual([status, HOME])
      expect(response.headers.vary).toContain('Origin')
      for (const name of ['ETag', 'Link', 'X-Request-Id', 'Retry-After', 'RateLimit-Remaining']) {
        expect(String(response.headers['access-control-expose-headers']).split(', ')).toContain(name)
      }
    }
  })

  test('is the only one with permission: others get equal responses without it', async () => {
    for (const origin of ['https://evil.example', `${HOME}.evil.example`, 'null', HOME.replace('https', 'http')]) {
      expect((await preflight(server, origin)).headers['access-control-allow-origin']).toBeUndefined()
      const response = await ask(server, 'GET', '/v1/health', { origin })
      expect([response.statusCode, response.headers['access-control-allow-origin']]).toEqual([200, undefined])
    }
    const plain = await ask(server, 'OPTIONS', '/v1/blocks/', {})
    expect([plain.statusCode, plain.headers.allow]).toEqual([405, 'GET, HEAD, POST'])
    const unknown = await ask(server, 'OPTIONS', '/v1/nothing', {})
    expect([unknown.statusCode, unknown.headers['content-type']]).toEqual([404, 'application/problem+json'])
    expect((await ask(server, 'DELETE', '/v1/nothing', {})).statusCode).toBe(404)
  })
})

test('with * every page may', async () => {
  const server = await startTestServer({ corsOrigins: ['*'] })
  try {
    expect((await preflight(server, 'https://any.example')).headers['access-control-allow-origin']).toBe('*')
  } finally {
    await server.close()
  }
})

test('without the setting no page may, and a preflight is a method that is not there', async () => {
  const server = await startTestServer()
  try {
    const { statusCode, headers } = await preflight(server, HOME)
    expect([statusCode, headers['access-control-allow-origin'], headers.vary]).toEqual([405, undefined, undefined])
  } finally {
    await server.close()
  }
})
