import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../../test/server.ts'

let server: TestServer
/** An agent of Alice's. */
let url: string
beforeAll(async () => {
  server = await startTestServer()
  const { alice } = server
  url = `/v1/agents/${(await alice.post('/v1/agents/', { name: 'A', include_base_tools: false })).body.id}`
})
afterAll(() => server.close())

describe('an instant', () => {
  test.each([
    ['0000-01-01T00:00:00Z', 'the year before the first'],
    ['0000-12-31T23:59:59.999Z', 'the last of it'],
    ['0000-01-01 00:00:00Z', 'the same, with a blank'],
    ['0001-01-01T00:00:00+00:01', 'a time zone puts it before the first year'],
    ['9999-12-31T23:59:00-00:01', 'a time zone puts it after the last'],
    ['9999-12-31T24:00:00Z', 'midnight puts it after the last'],
    ['9999-12-31T23:59:59.9999Z', 'kept in milliseconds, it is after the last'],
    ['10000-01-01T00:00:00Z', 'a year of five digits'],
    ['+010000-01-01T00:00:00Z', 'a year with a sign'],
    ['-0001-01-01T00:00:00Z', 'a year before Christ'],
    ['2026-01-02T03:04:05+16:00', 'a time zone there is none of'],
    ['2026-01-02T03:04:05-23:59', 'another'],
    ['2026-01-02T03:04:05+99:00', 'another'],
    ['2026-01-02T03:04:05+01:60', 'another'],
    ['2026-02-29T00:00:00Z', 'a day there is none of'],
    ['2026-04-31T00:00:00Z', 'another'],
    ['2026-13-01T00:00:00Z', 'a month there is none of'],
    ['2026-01-02T25:00:00Z', 'an hour there is none of'],
    ['2026-01-02T03:04:60Z', 'a second there is none of'],
    ['2026-01-02T03:04:05', 'no time zone'],
    ['2026-01-02', 'no time'],
    ['yesterday', 'words'],
    ['', 'nothing'],
  ])('that cannot be stored is refused, with its field: %s (%s)', async (instant) => {
    const { alice } = server
    for (const [method, path, field, body] of [
      ['PATCH', url, 'last_run_completion', { last_run_completion: instant }],
      ['POST', '/v1/api-keys/', 'expires_at', { name: 'k', scopes: ['read'], expires_at: instant }],
    ] as const) {
      const reply = await alice.call(method, path, body)
      expect([field, reply.status]).toEqual([field, 422])
      expect(reply.body.errors.map((fault: { field: string }) => fault.field)).toEqual([field])
      expect(reply.body.errors[0].message).toBe('must be a date-time (ISO 8601 with a time zone)')
    }
    expect((await alice.get(url)).body).not.toHaveProperty('last_run_completion')
  })

  test.each([
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
    ['0001-01-01T00:01:00+00:01', '0001-01-01T00:00:00.000Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
    ['9999-12-31T15:59:59-08:00', '9999-12-31T23:59:59.000Z'],
    ['2024-02-29T12:00:00Z', '2024-02-29T12:00:00.000Z'],
    ['2026-01-02t03:04:05z', '2026-01-02T03:04:05.000Z'],
    ['2026-01-02 03:04:05+05:30', '2026-01-01T21:34:05.000Z'],
    ['2026-01-02T03:04:05.1234567Z', '2026-01-02T03:04:05.123Z'],
    ['2026-01-02T03:04:05+15:59', '2026-01-01T11:05:05.000Z'],
  ])('at the limits comes back equal: %s', async (given, kept) => {
    const { alice, bob } = server
    const made = (await bob.post('/v1/agents/', { name: 'B', include_base_tools: false })).body
    const path = `/v1/agents/${made.id}`
    expect((await bob.patch(path, { last_run_completion: given })).body.last_run_completion).toBe(kept)
    expect((await bob.get(path)).body.last_run_completion).toBe(kept)
    expect((await bob.get('/v1/agents/?limit=1')).body[0].last_run_completion).toBe(kept)
    expect((await alice.get(path)).status).toBe(404)
  })

  test('that is not there any more is cleared by null', async () => {
    const { alice } = server
    await alice.patch(url, { last_run_completion: '2026-01-02T03:04:05Z' })
    expect((await alice.patch(url, { last_run_completion: null })).body).not.toHaveProperty('last_run_completion')
  })
})

describe('the instant inside a cursor', () => {
  const last = (253_402_300_799_999).toString(16).padStart(12, '0')
  const cursor = (ms: string) => `agent-${ms.slice(0, 8)}-${ms.slice(8)}-7000-8000-000000000000`

  test('may be any of the calendar, from the first to the last', async () => {
    const { alice } = server
    const all = (await alice.get('/v1/agents/')).body
    for (const [query, expected] of [
      [`order=asc&after=${cursor('0'.repeat(12))}`, all],
      [`order=asc&before=${cursor(last)}`, all],
      [`order=asc&after=${cursor(last)}`, []],
    ]) {
      expect((await alice.get(`/v1/agents/?${query}`)).body).toEqual(expected)
    }
  })

  test.each(['f'.repeat(12), (253_402_300_800_000).toString(16).padStart(12, '0')])(
    'that lies beyond it is nobody’s: the cursor is an unknown one (%s)',
    async (ms) => {
      for (const side of ['after', 'before']) {
        const reply = await server.bob.get(`/v1/agents/?${side}=${cursor(ms)}`)
        expect([reply.status, reply.headers['x-should-retry']]).toEqual([404, 'false'])
      }
    },
  )
})
