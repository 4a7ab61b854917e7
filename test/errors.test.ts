import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type Document, documentOf, keyedOperations, type Operation } from './operations.ts'
import { requestsOf, send } from './places.ts'
import { type Populated, populate } from './populate.ts'
import { type Client, type Reply, startTestServer, type TestServer } from './server.ts'

let server: TestServer
let alice: Client
let held: Populated
let document: Document
let operations: Operation[]
beforeAll(async () => {
  server = await startTestServer()
  alice = server.alice
  held = await populate(alice, server.database, 'Alicia')
  document = documentOf(server.app)
  operations = keyedOperations(server.app)
})
afterAll(() => server.close())

const UNKNOWN = 'block-00000000-0000-4000-8000-000000000000'

/** Expects the one shape of every error. */
function expectProblem(reply: Reply<Record<string, unknown>>, status: number, code: string): void {
  const { body, headers } = reply
  expect([reply.status, body.code, headers['content-type']]).toEqual([status, code, 'application/problem+json'])
  expect(body).toMatchObject({ type: `/errors/${code.replaceAll('_', '-')}`, status, message: body.detail })
  expect(body.request_id).toBe(headers['x-request-id'])
  expect(String(body.title)).toMatch(/^[A-Z]/)
  expect(String(body.detail)).toMatch(/\.$/)
  // Clients of OpenAI read an error of theirs, beside.
  const known = ['type', 'title', 'status', 'code', 'detail', 'message', 'request_id', 'errors', 'error']
  expect(Object.keys(body).filter((key) => !known.includes(key))).toEqual([])
  expect('errors' in body).toBe(status === 422)
  if ('error' in body) expect(body.error).toMatchObject({ message: body.detail })
}

describe('a key', () => {
  const answers = async (authorization: string | undefined) => {
    const headers = authorization === undefined ? {} : { authorization }
    const response = await server.app.inject({ url: '/v1/agents/', headers })
    const body = response.json()
    expectProblem(
      { status: response.statusCode, headers: response.headers as Reply<never>['headers'], body },
      401,
      'unauthorized',
    )
    expect(response.headers['www-authenticate']).toBe('Bearer')
    return JSON.stringify({ ...body, request_id: '' })
  }

  test('that is missing, wrong, expired or revoked gets an equal response', async () => {
    const [expired, revoked] = [await server.withScopes('read'), await server.withScopes('read')]
    const keys = (await alice.get('/v1/api-keys/')).body
    await sql`update api_keys set expires_at = now() - interval '1 second' where id = ${keys[1].id}`.execute(
      server.database.kysely,
    )
    expect((await revoked.get('/v1/agents/')).status).toBe(200)
    expect((await alice.delete(`/v1/api-keys/${keys[0].id}`)).status).toBe(200)
    const said = [
      await answers(undefined),
      await answers(''),
      await answers('Bearer'),
      await answers('Bearer '),
      await answers('Bearer wrong'),
      await answers(`Basic ${alice.key}`),
      await answers(alice.key),
      await answers(`Bearer ${alice.key}x`),
      await answers(`Bearer ${expired.key}`),
      await answers(`Bearer ${revoked.key}`),
    ]
    expect(new Set(said).size).toBe(1)
  })

  test('is also taken in the header for the password of a Letta server', async () => {
    const [archive] = [(await alice.post('/v1/archives/', { name: 'Barely guarded' })).body]
    const statusOf = async (password: string, url = `/v1/archives/${archive.id}`) =>
      (await server.app.inject({ url, headers: { 'x-bare-password': password } })).statusCode
    for (const surface of ['', '/letta']) {
      const url = `${surface}/v1/archives/${archive.id}`
      expect(await statusOf(`password ${alice.key}`, url)).toBe(200)
      expect(await statusOf(`password ${server.bob.key}`, url)).toBe(404)
      expect(await statusOf(`password ${alice.key}x`, url)).toBe(401)
    }
    expect(await statusOf(alice.key)).toBe(401)
  })

  test('is required by every operation, before any other check', async () => {
    const wrong: string[] = []
    const nobody = server.client('nobody')
    for (const operation of operations) {
      const [request] = requestsOf(document, operation, held)
      const { status } = await send(nobody, { ...request!, body: undefined })
      if (status !== 401) wrong.push(`${operation.operationId} answered ${status}`)
    }
    expect(wrong).toEqual([])
  })
})

describe('an error', () => {
  const JSON_BODY = { 'content-type': 'application/json' }
  const FORM = { 'content-type': 'multipart/form-data; boundary=x' }
  /** Sends a request that the document doesn't have. */
  const ask = async (method: string, url: string, headers: Record<string, string> = {}) => {
    const all = { authorization: `Bearer ${alice.key}`, ...headers }
    const body = headers === FORM && { payload: '--x--\r\n' }
    const response = await server.app.inject({ method: method as 'GET', url, headers: all, ...body })
    if (response.statusCode === 405) expect(response.headers.allow).toMatch(/POST/)
    return { status: response.statusCode, headers: response.headers as Reply<never>['headers'], body: response.json() }
  }

  test.each<[string, () => Promise<Reply<Record<string, unknown>>>, number, string]>([
    ['malformed JSON', () => alice.post('/v1/blocks/', '{', JSON_BODY), 400, 'malformed_json'],
    ['an unknown path', () => alice.get('/v1/nothing'), 404, 'not_found'],
    ['an unknown path below a resource', () => alice.get(`/v1/blocks/${UNKNOWN}/nothing`), 404, 'not_found'],
    ['an unknown resource', () => alice.get(`/v1/blocks/${UNKNOWN}`), 404, 'not_found'],
    [
      'a body that names an unknown resource',
      () => alice.post('/v1/agents/', { block_ids: [UNKNOWN] }),
      404,
      'not_found',
    ],
    [
      'a form with another method',
      () => ask('PUT', `/v1/folders/${held.one.source}/upload`, FORM),
      405,
      'method_not_allowed',
    ],
    ['the method TRACE', () => ask('TRACE', '/v1/agents/'), 405, 'method_not_allowed'],
    ['the method QUERY', () => ask('QUERY', '/letta/v1/agents'), 405, 'method_not_allowed'],
    ['a form on an unknown path', () => ask('PUT', '/v1/nothing', FORM), 404, 'not_found'],
    ['the method QUERY on an unknown path', () => ask('QUERY', '/v1/nothing'), 404, 'not_found'],
    ['another method', () => alice.call('PUT', '/v1/blocks/'), 405, 'method_not_allowed'],
    ['a name that is taken', () => alice.post('/v1/folders/', { name: held.names.folder }), 409, 'conflict'],
    [
      'a stale ETag',
      () => alice.delete(`/v1/blocks/${held.one.block}`, { 'if-match': '"0"' }),
      412,
      'precondition_failed',
    ],
    ['too large a body', () => alice.post('/v1/blocks/', { value: 'x'.repeat(2 ** 20) }), 413, 'payload_too_large'],
    [
      'a wrong media type',
      () => alice.post('/v1/blocks/', 'x', { 'content-type': 'text/plain' }),
      415,
      'unsupported_media_type',
    ],
    ['a malformed request', () => alice.get('/v1/blocks/?limit=x'), 422, 'invalid'],
    ['a malformed path', () => alice.get('/v1/nothing/%zz'), 400, 'bad_request'],
  ])('has one shape: %s', async (_, ask, status, code) => {
    expectProblem(await ask(), status, code)
  })

  test.each([
    ['/v1/blocks/', ['PUT', 'PATCH', 'DELETE', 'OPTIONS'], 'GET, HEAD, POST'],
    [`/v1/blocks/${UNKNOWN}`, ['PUT', 'POST', 'OPTIONS'], 'DELETE, GET, HEAD, PATCH'],
    ['/v1/agents/count', ['POST', 'DELETE'], 'GET, HEAD'],
    ['/v1/identities/', ['PATCH', 'DELETE'], 'GET, HEAD, POST, PUT'],
  ])('for a method %s does not have names those it has', async (url, methods, allow) => {
    for (const method of methods) {
      for (const path of [url, url.replace(/\/$/, '')]) {
        const { status, headers } = await alice.call(method, path)
        expect([method, path, status, headers.allow]).toEqual([method, path, 405, allow])
      }
    }
  })

  test('names the missing resource, and reports that a retry is useless', async () => {
    const reply = await alice.get(`/v1/blocks/${UNKNOWN}`)
    expect(reply.body.detail).toBe(`No block with id ${UNKNOWN} in this organization.`)
    expect(reply.headers['x-should-retry']).toBe('false')
  })

  test.each<[string, () => Promise<Reply<Record<string, unknown>>>]>([
    ['a folder’s name', () => alice.post('/v1/folders/', { name: held.names.folder })],
    ['a tool’s name', () => alice.post('/v1/tools/', { source_code: '', json_schema: { name: held.names.tool } })],
    [
      'an identity’s key',
      () => alice.post('/v1/identities/', { identifier_key: held.names.key, name: 'x', identity_type: 'user' }),
    ],
    [
      'a label on one agent',
      async () => {
        const { id } = (await alice.post('/v1/blocks/', { label: held.names.label, value: '' })).body
        return alice.patch(`/v1/agents/${held.one.agent}/core-memory/blocks/attach/${id}`)
      },
    ],
    [
      'a label on one agent, by a new name',
      async () => {
        const { body } = await alice.get(`/v1/agents/${held.one.agent}/core-memory/blocks`)
        const other = body.find((block: { id: string }) => block.id !== held.one.block)
        return alice.patch(`/v1/blocks/${other.id}`, { label: held.names.label })
      },
    ],
    [
      'an agent’s one archive',
      async () => {
        const { id } = (await alice.post('/v1/archives/', { name: 'Second' })).body
        return alice.patch(`/v1/agents/${held.one.agent}/archives/attach/${id}`)
      },
    ],
    [
      'a built-in tool',
      async () => alice.delete(`/v1/tools/${(await alice.get('/v1/tools/?name=send_message')).body[0].id}`),
    ],
    ['the operator’s organization', () => alice.delete(`/v1/admin/orgs/?org_id=${held.organizationId}`)],
  ])('of a conflict is final, so that clients don’t try again: %s', async (_, ask) => {
    const reply = await ask()
    expectProblem(reply, 409, 'conflict')
    expect(reply.headers['x-should-retry']).toBe('false')
  })

  /** The response of a request while every statement fails. */
  async function whileFailing(error: Error): Promise<Reply<Record<string, unknown>>> {
    await alice.get('/v1/blocks/')
    const query = vi
      .spyOn(pg.Client.prototype, 'query')
      .mockImplementation(((_: unknown, callback: (error: Error) => void) => callback(error)) as never)
    try {
      return await alice.get('/v1/blocks/')
    } finally {
      query.mockRestore()
    }
  }

  test('of the server does not expose its cause', async () => {
    const reply = await whileFailing(new Error('relation "private" does not exist'))
    expectProblem(reply, 500, 'internal')
    expect(JSON.stringify(reply)).not.toContain('private')
  })

  test.each(['57P01', '53300', '08006', 'ECONNREFUSED'])(
    'of a database out of reach says when to ask again: %s',
    async (code) => {
      const reply = await whileFailing(Object.assign(new Error('private'), { code }))
      expectProblem(reply, 503, 'unavailable')
      expect(reply.headers['retry-after']).toMatch(/^\d+$/)
      expect(JSON.stringify(reply)).not.toContain('private')
    },
  )
})
