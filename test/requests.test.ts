import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { documentOf, operationsOf } from './operations.ts'
import { requestsOf, send } from './places.ts'
import { type Populated, populate } from './populate.ts'
import { type Client, startTestServer, type TestServer } from './server.ts'

let server: TestServer
let alice: Client
let held: Populated
beforeAll(async () => {
  server = await startTestServer()
  alice = server.alice
  held = await populate(alice, server.database, 'Alicia')
})
afterAll(() => server.close())

const UUID = '00000000-0000-4000-8000-000000000000'
const JSON_BODY = { 'content-type': 'application/json' }

/** The faults a request is refused for, as `query limit: must be at most 200`. */
async function faults(
  method: string,
  url: string,
  body?: unknown,
  headers?: Record<string, string>,
): Promise<string[]> {
  const reply = await alice.call(method, url, body, headers)
  expect([method, url, reply.status, reply.body.code]).toEqual([method, url, 422, 'invalid'])
  return reply.body.errors.map((fault: { in: string; field: string; message: string }) =>
    `${fault.in} ${fault.field}: ${fault.message}`.replace(' :', ':'),
  )
}

describe('a path', () => {
  test('has equal responses with and without a trailing slash', async () => {
    const document = documentOf(server.app)
    // The state of an authorization is good once, and that of the server is never the same.
    const reads = operationsOf(server.app).filter(
      ({ method, operationId }) =>
        method === 'GET' && !['mcp_oauth_callback', 'retrieve_server_health'].includes(operationId),
    )
    for (const operation of reads) {
      const path = operation.path.replace(/\/$/, '')
      const [request] = requestsOf(document, operation, held)
      const ask = (url: string) => send(alice, { ...request!, operation: { ...operation, path: url } })
      const [without, with_] = [await ask(path), await ask(`${path}/`)]
      expect([operation.operationId, without.status, with_.status]).toEqual([operation.operationId, 200, 200])
      // A file says when it was written.
      const when = operation.operationId === 'export_agent' && { created_at: expect.any(String) }
      expect(with_.body).toEqual(when ? { ...without.body, ...when } : without.body)
    }
    const made = await alice.post('/v1/blocks', { label: 'slash', value: '' })
    expect(made.status).toBe(200)
    expect((await alice.patch(`/v1/blocks/${made.body.id}/`, { value: 'x' })).body.value).toBe('x')
    expect((await alice.delete(`/v1/blocks/${made.body.id}/`)).status).toBe(200)
  })
})

describe('a query', () => {
  /** Blocks of Bob's by their labels: one of each tag. */
  const labels = async (query: string) => {
    const { status, body } = await server.bob.get(`/v1/blocks/?${query}`)
    expect([query, status]).toEqual([query, 200])
    return body.map((block: { label: string }) => block.label)
  }
  beforeAll(async () => {
    const tags = { first: ['a'], second: ['b'], both: ['a', 'b'], comma: ['a,b'] }
    for (const [label, list] of Object.entries(tags)) {
      await server.bob.post('/v1/blocks/', { label, value: label, tags: list })
    }
  })

  test.each([
    ['tags=a&tags=b', ['first', 'second', 'both']],
    ['tags[]=a&tags[]=b', ['first', 'second', 'both']],
    ['tags%5B%5D=a', ['first', 'both']],
    ['tags[]=a&tags=b', ['first', 'second', 'both']],
    ['tags=a&tags=a', ['first', 'both']],
    ['tags=a', ['first', 'both']],
    ['tags=a,b', ['comma']],
    ['tags=a%2Cb', ['comma']],
  ])('takes an array as repeated keys, and a comma as a comma: %s', async (query, expected) => {
    expect(await labels(query)).toEqual(expected)
  })

  test.each(['limit=', 'order=', 'after=', 'tags=', 'tags[]=', 'label=&limit=&templates_only=', 'tags=&tags='])(
    'takes an empty value for none: %s',
    async (query) => {
      expect(await labels(query)).toEqual(['first', 'second', 'both', 'comma'])
    },
  )

  test.each([
    ...['true', 'TRUE', 'True', '1'].map((text) => [text, ['both']]),
    ...['false', 'FALSE', 'False', '0'].map((text) => [text, ['first', 'second', 'both']]),
  ])('reads %s as a truth value', async (text, expected) => {
    expect(await labels(`tags=a&tags=b&match_all_tags=${text}`)).toEqual(expected)
  })

  test.each(['yes', 'on', '2', 't', 'true ', 'null', '01'])('refuses %s as a truth value', async (text) => {
    const url = `/v1/blocks/?match_all_tags=${encodeURIComponent(text)}`
    expect(await faults('GET', url)).toEqual(['query match_all_tags: must be true or false'])
  })

  test.each([
    ['1', 1],
    ['3', 3],
    ['003', 3],
    ['200', 4],
  ])('reads %s as a number', async (text, count) => {
    expect(await labels(`limit=${text}`)).toHaveLength(count as number)
  })

  test.each(['1.0', '+1', '-1', '1e1', '0x10', ' 1', '١', 'ten', 'NaN', '1_0'])(
    'refuses "%s" as a number',
    async (text) => {
      const [fault] = await faults('GET', `/v1/blocks/?limit=${encodeURIComponent(text)}`)
      expect(fault).toBe('query limit: must be a whole number')
    },
  )

  test.each([
    ['limit=0', 'query limit: must be at least 1'],
    ['limit=201', 'query limit: must be at most 200'],
    ['limit=99999999999999999999', 'query limit: must be at most 200'],
    ['order=up', 'query order: must be one of asc, desc'],
    ['order_by=name', 'query order_by: must be one of created_at'],
    ['limit=1&limit=2', 'query limit: must be a whole number'],
    ['lable=x', 'query lable: is not a known name here; did you mean "label"?'],
    ['tag=x', 'query tag: is not a known name here; did you mean "tags"?'],
    ['label[]=x', 'query label[]: is not a known name here; did you mean "label"?'],
    ['zzzzzzzzzzzz=x', 'query zzzzzzzzzzzz: is not a known name here'],
    ['=x', 'query: is not a known name here'],
  ])('is refused with the fault it has: %s', async (query, fault) => {
    expect(await faults('GET', `/v1/blocks/?${query}`)).toEqual([fault])
  })

  test.each(['/v1/agents/?include=agent.block', '/v1/agents/?include=blocks'])(
    'is refused for a relation there is none of: %s',
    async (url) => {
      expect((await faults('GET', url))[0]).toMatch(/^query include\[0\]: must be one of agent\.blocks, /)
    },
  )
})

describe('a body', () => {
  const url = () => `/v1/blocks/${held.one.block}`
  const nested = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`

  test.each([
    ['malformed JSON', '{"value":', JSON_BODY, 400, 'malformed_json'],
    ['a trailing comma', '{"value":"x",}', JSON_BODY, 400, 'malformed_json'],
    ['text for JSON', 'value', JSON_BODY, 400, 'malformed_json'],
    ['plain text', '{"value":"x"}', { 'content-type': 'text/plain' }, 415, 'unsupported_media_type'],
    ['XML', '<value/>', { 'content-type': 'application/xml' }, 415, 'unsupported_media_type'],
    ['a form', 'value=x', { 'content-type': 'application/x-www-form-urlencoded' }, 415, 'unsupported_media_type'],
    ['no type at all', '{"value":"x"}', {}, 415, 'unsupported_media_type'],
    ['nothing', undefined, {}, 422, 'invalid'],
    ['nothing, as JSON', '', JSON_BODY, 422, 'invalid'],
    ['null', 'null', JSON_BODY, 422, 'invalid'],
    ['an array', '[]', JSON_BODY, 422, 'invalid'],
    ['a string', '"value"', JSON_BODY, 422, 'invalid'],
    ['too much', JSON.stringify({ value: 'x'.repeat(1024 * 1024) }), JSON_BODY, 413, 'payload_too_large'],
    ['JSON with a charset', '{}', { 'content-type': 'application/json; charset=utf-8' }, 200, undefined],
  ])('of %s', async (_, body, headers, status, code) => {
    const before = (await alice.get(url())).headers.etag
    const reply = await alice.call('PATCH', url(), body, headers as Record<string, string>)
    expect([reply.status, reply.body.code]).toEqual([status, code])
    expect((await alice.get(url())).headers.etag).toBe(before)
  })

  test.each([
    [{ limit: '5' }, 'body limit: must be a whole number or null'],
    [{ limit: 5.5 }, 'body limit: must be a whole number or null'],
    [{ limit: true }, 'body limit: must be a whole number or null'],
    [{ limit: 2 ** 31 }, 'body limit: must be at most 2147483647'],
    [{ value: 5 }, 'body value: must be a string'],
    [{ value: null }, 'body value: must be a string'],
    [{ value: ['a'] }, 'body value: must be a string'],
    [{ read_only: 'true' }, 'body read_only: must be true or false or null'],
    [{ read_only: 1 }, 'body read_only: must be true or false or null'],
    [{ tags: 'a' }, 'body tags: must be an array or null'],
    [{ tags: [1] }, 'body tags[0]: must be a string'],
    [{ metadata: [] }, 'body metadata: must be an object or null'],
    [{ vaule: 'x' }, 'body vaule: is not a known name here; did you mean "value"?'],
    [{ qqqqqqqq: 'x' }, 'body qqqqqqqq: is not a known name here'],
  ])('is taken as it is typed, or refused: %j', async (body, fault) => {
    expect(await faults('PATCH', url(), body)).toEqual([fault])
  })

  test.each([
    ['a NUL character in a value', '{"value":"a\\u0000b"}', 'body value: must not contain a NUL character'],
    ['a NUL character in a map', '{"metadata":{"a":["\\u0000"]}}', 'body metadata.a.0: must not contain a NUL'],
    ['a NUL character in a key', '{"metadata":{"a\\u0000":1}}', 'must not contain a NUL character'],
    ['half a surrogate pair', '{"value":"\\ud800"}', 'body value: must be well-formed Unicode'],
    ['half a surrogate pair in a key', '{"metadata":{"\\udc00":1}}', 'must be well-formed Unicode'],
    ['nesting without end', `{"metadata":${nested(100)}}`, 'must not be nested deeper than 64 levels'],
    ['nesting beyond any stack', `{"metadata":${nested(100_000)}}`, 'must not be nested deeper than 64 levels'],
  ])('that can not be stored exactly is refused: %s', async (_, body, fault) => {
    const found = await faults('PATCH', url(), body, JSON_BODY)
    expect(found).toHaveLength(1)
    expect(found[0]).toContain(fault)
  })

  test.each([
    ['both halves of a surrogate pair', '{"value":"\\ud83d\\ude00"}', { value: '😀' }],
    ['nesting of sixty levels', `{"metadata":${nested(60)}}`, { metadata: JSON.parse(nested(60)) }],
    [
      'keys like the language’s own',
      '{"metadata":{"toString":1,"hasOwnProperty":2}}',
      { metadata: { toString: 1, hasOwnProperty: 2 } },
    ],
    ['nulls in a map', '{"metadata":{"a":null,"b":[null]}}', { metadata: { a: null, b: [null] } }],
  ])('comes back as it was sent: %s', async (_, body, expected) => {
    const { id } = (await alice.post('/v1/blocks/', { label: 'kept', value: '' })).body
    const reply = await alice.call('PATCH', `/v1/blocks/${id}`, body, JSON_BODY)
    expect(reply.status).toBe(200)
    expect((await alice.get(`/v1/blocks/${id}`)).body).toMatchObject(expected)
  })

  test('is refused with all of its validation errors at once', async () => {
    const found = await faults('POST', '/v1/agents/', {
      name: 5,
      nmae: 'x',
      block_ids: ['nonsense'],
      max_files_open: -1,
      agent_type: 'robot',
    })
    expect(found.map((fault) => fault.split(':')[0]).sort()).toEqual([
      'body agent_type',
      'body block_ids[0]',
      'body max_files_open',
      'body name',
      'body nmae',
    ])
    expect(await faults('GET', '/v1/agents/?limit=0&order=up&nmae=x')).toHaveLength(3)
    const places = await faults('PATCH', `/v1/agents/agent-1/tools/approval/x?requires_approval=maybe`, { x: 1 })
    expect(places.map((fault) => fault.split(' ')[0]).sort()).toEqual(['body', 'path', 'query'])
  })
})

describe('an id', () => {
  const MALFORMED = [
    'block',
    'block-',
    `block-${UUID.slice(1)}`,
    `block-${UUID}0`,
    `block-${UUID.slice(0, -1)}A`,
    `Block-${UUID}`,
    `block-${UUID.replaceAll('-', '')}`,
    `agent-${UUID}`,
    UUID,
    `block-${UUID} `,
    `block-${UUID}\n`,
  ]
  const FORM = 'must be an id of the form block-<uuid>'

  test.each(MALFORMED)('that is malformed is refused with the form it should have: %j', async (id) => {
    expect(await faults('GET', `/v1/blocks/${encodeURIComponent(id)}`)).toEqual([`path block_id: ${FORM}`])
    expect(await faults('GET', `/v1/blocks/?after=${encodeURIComponent(id)}`)).toEqual([`query after: ${FORM}`])
    expect(await faults('PATCH', `/v1/agents/${held.one.agent}`, { block_ids: [id] })).toEqual([
      `body block_ids[0]: ${FORM}`,
    ])
  })

  test.each(['1', '4', '6', '7', '8'])('may hold a UUID of version %s', async (version) => {
    const id = `block-00000000-0000-${version}000-8000-000000000000`
    expect((await alice.get(`/v1/blocks/${id}`)).status).toBe(404)
  })

  test.each([
    ['/v1/archives/', 'archive-<uuid>'],
    ['/v1/folders/', 'source-<uuid>'],
    ['/v1/groups/', 'group-<uuid>'],
    ['/v1/agents/', 'agent-<uuid>'],
    ['/v1/identities/', 'identity-<uuid>'],
    ['/v1/tools/', 'tool-<uuid>'],
  ])('under %s is a %s', async (path, form) => {
    const [fault] = await faults('GET', `${path}x`)
    expect(fault).toMatch(new RegExp(`must be an id of the form ${form}$`))
  })

  test('of a new resource is generated by the server, unique, and sorts by time of creation', async () => {
    const made: string[] = []
    for (let n = 0; n < 20; n++) made.push((await alice.post('/v1/archives/', { name: `${n}` })).body.id)
    for (const id of made)
      expect(id).toMatch(/^archive-[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect([...made].sort()).toEqual(made)
  })

  test('with a NUL character is refused, in a path and in a query', async () => {
    expect((await faults('GET', '/v1/blocks/block-%00'))[0]).toMatch(/^path block_id: must not contain a NUL/)
    expect((await faults('GET', '/v1/blocks/?tags=%00'))[0]).toMatch(/^query tags: must not contain a NUL/)
  })
})
