import { describe, expect, test } from 'vitest'
import { useTestServer } from '../../../test/server.ts'
import { createSignInCodes } from './sign-in.ts'

const server = useTestServer()

const signIn = (code: unknown, remoteAddress = '127.0.0.1', headers: Record<string, string> = {}) =>
  server.app.inject({ method: 'POST', url: '/console/sign-in', payload: { code }, remoteAddress, headers })

const issue = () => server.app.issueSignInCode!()

describe('a link that signs in to the console', () => {
  test('gives a key of the admin for twelve hours, once', async () => {
    const code = issue()
    const response = await signIn(code)
    expect([response.statusCode, response.headers['cache-control']]).toEqual([200, 'no-store'])
    const { key } = response.json()
    expect((await server.client(key).get('/v1/admin/orgs')).status).toBe(200)
    const [made] = (await server.alice.get('/v1/api-keys?limit=1')).body
    const first = (await server.alice.get('/v1/api-keys?order=asc&limit=1')).body[0]
    expect(made).toMatchObject({ name: 'console on this machine', user_id: first.user_id, scopes: first.scopes })
    const hours = (Date.parse(made.expires_at) - Date.parse(made.created_at)) / 3_600_000
    expect(hours).toBeCloseTo(12, 2)
    expect((await signIn(code)).statusCode).toBe(401)
  })

  test('works on the machine of the server alone, whatever a header says', async () => {
    const code = issue()
    for (const [address, headers] of [
      ['192.0.2.7', {}],
      ['192.0.2.7', { 'x-forwarded-for': '127.0.0.1' }],
      ['::ffff:10.0.0.1', {}],
      ['127.0.0.1', { 'x-forwarded-for': '192.0.2.7' }],
      ['127.0.0.1', { forwarded: 'for=192.0.2.7' }],
    ] as const) {
      expect([address, (await signIn(code, address, headers)).statusCode]).toEqual([address, 401])
    }
    expect((await signIn(code, '::ffff:127.0.0.1')).statusCode).toBe(200)
    expect((await signIn(issue(), '::1')).statusCode).toBe(200)
  })

  test('ends with five wrong codes, and with a newer link', async () => {
    const code = issue()
    for (let count = 0; count < 4; count++) expect((await signIn('wrong')).statusCode).toBe(401)
    expect((await signIn(code)).statusCode).toBe(200)
    const closed = issue()
    for (let count = 0; count < 5; count++) await signIn(`wrong ${count}`)
    expect((await signIn(closed)).statusCode).toBe(401)
    const former = issue()
    issue()
    expect((await signIn(former)).statusCode).toBe(401)
  })

  test('is valid for ten minutes', () => {
    let time = 0
    const codes = createSignInCodes(() => time)
    const [early, late] = [codes.issue(), () => codes.issue()]
    time = 10 * 60_000 - 1
    expect(codes.redeem(early)).toBe(true)
    const code = late()
    time += 10 * 60_000
    expect(codes.redeem(code)).toBe(false)
  })

  test('gives no key when every admin key is revoked', async () => {
    const { id } = (await server.alice.get('/v1/api-keys?order=asc&limit=1')).body[0]
    const { body: all } = await server.alice.get('/v1/api-keys?limit=200')
    for (const key of all) if (key.id !== id) await server.alice.delete(`/v1/api-keys/${key.id}`)
    await server.alice.delete(`/v1/api-keys/${id}`)
    expect((await signIn(issue())).statusCode).toBe(403)
  })

  test('sent as anything but JSON is refused before it is read', async () => {
    const form = await server.app.inject({
      method: 'POST',
      url: '/console/sign-in',
      headers: { 'content-type': 'text/plain' },
      payload: '{"code":"x"}',
    })
    expect(form.statusCode).toBe(415)
    expect((await signIn(5)).statusCode).toBe(422)
  })
})
