import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { startTestServer, type TestServer } from '../../test/server.ts'

const MOST = 20

let server: TestServer
beforeEach(async () => {
  // Only the clock: requests still run by themselves. It never shows what is still to come: ids made then would be
  // followed by those of other tests.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 600_000 })
  server = await startTestServer({ rateLimit: MOST, trustProxy: ['10.0.0.1'] })
})
afterEach(async () => {
  await server.close()
  vi.useRealTimers()
})

const fields = (headers: Record<string, unknown>) =>
  ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset', 'retry-after'].map((name) => headers[name])

/** A request with a key, from an address. */
const get = (key: string | undefined, remoteAddress: string, headers: Record<string, string> = {}) =>
  server.app.inject({
    url: '/v1/archives/',
    remoteAddress,
    headers: { ...(key !== undefined && { authorization: `Bearer ${key}` }), ...headers },
  })

describe('a key', () => {
  test('gets the remaining requests, and the time of the next', async () => {
    const { bob } = server
    for (let n = 1; n <= MOST; n++) {
      const { status, headers } = await bob.get('/v1/archives/')
      expect([status, ...fields(headers)]).toEqual([200, `${MOST}`, `${MOST - n}`, '60', undefined])
    }
    vi.setSystemTime(Date.now() + 20_000)
    const { status, headers, body } = await bob.get('/v1/archives/')
    expect([status, ...fields(headers)]).toEqual([429, `${MOST}`, '0', '40', '40'])
    expect(headers['content-type']).toBe('application/problem+json')
    expect(body).toMatchObject({ status: 429, code: 'too_many_requests', type: '/errors/too-many-requests' })
    expect(body.detail).toContain('40 seconds')

    const written = await server.app.inject({
      url: '/v1/archives/',
      headers: { authorization: `bearer   ${bob.key}` },
    })
    expect(written.statusCode).toBe(429)
    expect((await server.alice.get('/v1/archives/')).status).toBe(200)

    vi.setSystemTime(Date.now() + 40_000)
    const again = await bob.get('/v1/archives/')
    expect([again.status, ...fields(again.headers)]).toEqual([200, `${MOST}`, `${MOST - 1}`, '60', undefined])
  })

  test('does not lose an SDK’s refused requests, though an equal request succeeded before', async () => {
    const name = randomUUID()
    const create = (count: number) =>
      server.bob.post('/v1/archives/', { name }, { 'x-stainless-retry-count': `${count}` })
    const statuses: number[] = []
    for (let n = 0; n < MOST + 2; n++) statuses.push((await create(0)).status)
    expect(statuses).toEqual([...Array(MOST).fill(200), 429, 429])
    vi.setSystemTime(Date.now() + 60_000)
    // The two refused requests, and the retry of one whose response was lost.
    const again = [await create(1), await create(1), await create(1)]
    expect(again.map(({ headers }) => headers['idempotent-replayed'])).toEqual([undefined, undefined, 'true'])
    expect((await server.bob.get(`/v1/archives/?limit=200&name=${name}`)).body).toHaveLength(MOST + 2)
  })
})

describe('an address that has sent too many wrong keys', () => {
  test('is refused every key it has not used before, without a look at the database', async () => {
    const colleague = (await server.withScopes('read')).key
    expect((await get(server.bob.key, '192.0.2.1')).statusCode).toBe(200)
    for (let n = 0; n < MOST; n++) expect((await get(`guess-${n}`, '192.0.2.1')).statusCode).toBe(401)
    const query = vi.spyOn(pg.Client.prototype, 'query')
    for (const key of ['another', colleague]) {
      const { statusCode, headers } = await get(key, '192.0.2.1')
      expect([statusCode, ...fields(headers)]).toEqual([429, `${MOST}`, '0', '60', '60'])
    }
    expect(query).not.toHaveBeenCalled()
    query.mockRestore()
    // Who is known to be good stays so, and other addresses are others.
    expect((await get(server.bob.key, '192.0.2.1')).statusCode).toBe(200)
    expect((await get(undefined, '192.0.2.1')).statusCode).toBe(401)
    expect((await get(colleague, '192.0.2.2')).statusCode).toBe(200)
    expect((await get(colleague, '192.0.2.1')).statusCode).toBe(200)
    vi.setSystemTime(Date.now() + 60_000)
    expect((await get('another', '192.0.2.1')).statusCode).toBe(401)
  })

  test('is the one behind a trusted proxy, and can’t pretend to be another', async () => {
    const from = (address: string) => ({ 'x-forwarded-for': address })
    for (let n = 0; n < MOST; n++) await get(`guess-${n}`, '10.0.0.1', from('198.51.100.1'))
    expect((await get('x', '10.0.0.1', from('198.51.100.1'))).statusCode).toBe(429)
    expect((await get('x', '10.0.0.1', from('198.51.100.2'))).statusCode).toBe(401)
    expect((await get('x', '10.0.0.1', from('198.51.100.2, 198.51.100.1'))).statusCode).toBe(429)
    for (let n = 0; n < MOST; n++) await get(`guess-${n}`, '203.0.113.9', from(`198.51.100.${n + 10}`))
    expect((await get('x', '203.0.113.9', from('198.51.100.99'))).statusCode).toBe(429)
  })
})

test('operations that ask for no key are not counted', async () => {
  for (let n = 0; n < MOST + 1; n++) {
    const { statusCode, headers } = await server.app.inject({ url: '/v1/health' })
    expect([statusCode, ...fields(headers)]).toEqual([200, undefined, undefined, undefined, undefined])
  }
})
