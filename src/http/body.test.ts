import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Client, startTestServer, type TestServer } from '../../test/server.ts'

let server: TestServer
let alice: Client
/** A block of Alice's, whose value no refused request may change. */
let url: string
beforeAll(async () => {
  server = await startTestServer()
  alice = server.alice
  url = `/v1/blocks/${(await alice.post('/v1/blocks/', { label: 'body', value: 'as it was' })).body.id}`
})
afterAll(() => server.close())

const JSON_BODY = { 'content-type': 'application/json' }
const nested = (levels: number, inner = '1') => `${'{"a":'.repeat(levels)}${inner}${'}'.repeat(levels)}`

describe('a body in another encoding', () => {
  const changed = JSON.stringify({ value: 'changed' })

  test.each<[string, Buffer, Record<string, string>]>([
    ['ISO 8859-1', Buffer.from(changed, 'latin1'), { 'content-type': 'application/json; charset=ISO-8859-1' }],
    ['UTF-16', Buffer.from(changed, 'utf16le'), { 'content-type': 'application/json; charset=utf-16le' }],
    ['UTF-16, in quotes', Buffer.from(changed, 'utf16le'), { 'content-type': 'application/json; charset="utf-16"' }],
    ['gzip', gzipSync(changed), { ...JSON_BODY, 'content-encoding': 'gzip' }],
    ['gzip that says so, and is not', Buffer.from(changed), { ...JSON_BODY, 'content-encoding': 'gzip' }],
    ['Brotli after gzip', gzipSync(changed), { ...JSON_BODY, 'content-encoding': 'gzip, br' }],
  ])('is a 415 that names the right media type, and changes nothing: %s', async (_, body, headers) => {
    const reply = await alice.patch(url, body, headers)
    expect([reply.status, reply.body.code]).toEqual([415, 'unsupported_media_type'])
    expect(reply.body.detail).toMatch(/UTF-8, not compressed/)
    expect((await alice.get(url)).body.value).toBe('as it was')
  })

  test.each<[string, Record<string, string>]>([
    ['UTF-8', { 'content-type': 'application/json; charset=utf-8' }],
    ['UTF-8 in capitals and quotes', { 'content-type': 'Application/JSON; Charset="UTF-8"' }],
    ['UTF8', { 'content-type': 'application/json;charset=utf8' }],
    ['none, in so many words', { ...JSON_BODY, 'content-encoding': 'identity' }],
    ['none, in capitals', { ...JSON_BODY, 'content-encoding': 'Identity' }],
    ['another parameter that ends alike', { 'content-type': 'application/json; x-charset=latin1' }],
  ])('in another spelling of the right one is read: %s', async (_, headers) => {
    const { id } = (await alice.post('/v1/blocks/', { label: 'read', value: '' })).body
    const reply = await alice.patch(`/v1/blocks/${id}`, JSON.stringify({ value: 'Grüße 😀' }), headers)
    expect([reply.status, reply.body.value]).toEqual([200, 'Grüße 😀'])
  })
})

describe('a body that is not UTF-8', () => {
  const text = (...bytes: number[]) =>
    Buffer.concat([Buffer.from('{"value":"a'), Buffer.from(bytes), Buffer.from('"}')])

  test.each<[string, Buffer]>([
    ['a letter of ISO 8859-1', text(0xfc)],
    ['a sequence cut short', text(0xf0, 0x9f, 0x98)],
    ['a byte that goes on from nothing', text(0x80)],
    ['an overlong form of a slash', text(0xc0, 0xaf)],
    ['half of a surrogate pair', text(0xed, 0xa0, 0x80)],
    ['a code point beyond the last', text(0xf4, 0x90, 0x80, 0x80)],
    ['UTF-16 that says nothing of it', Buffer.from('\ufeff{"value":"x"}', 'utf16le')],
  ])('is a 400, rather than stored with replacement characters: %s', async (_, body) => {
    const reply = await alice.patch(url, body, JSON_BODY)
    expect([reply.status, reply.body.code, reply.body.detail]).toEqual([
      400,
      'malformed_json',
      'The body is not valid UTF-8.',
    ])
    expect((await alice.get(url)).body.value).toBe('as it was')
  })
})

describe('an empty body', () => {
  test.each<[string, string | undefined, Record<string, string>]>([
    ['nothing', undefined, {}],
    ['nothing, as JSON', undefined, JSON_BODY],
    ['no bytes, as JSON', '', JSON_BODY],
    ['no bytes, whose length is told', '', { ...JSON_BODY, 'content-length': '0' }],
  ])('for an operation that needs one is a 422 that says so: %s', async (_, body, headers) => {
    for (const [method, path] of [
      ['PATCH', url],
      ['POST', '/v1/blocks/'],
      ['POST', '/v1/agents/'],
      ['PUT', '/v1/identities/'],
    ] as const) {
      const reply = await alice.call(method, path, body, headers)
      expect([path, reply.status, reply.body.code]).toEqual([path, 422, 'invalid'])
      expect(reply.body.errors).toContainEqual({ in: 'body', field: '', message: 'must be an object' })
    }
  })

  test('for an operation without a body is ignored, with any media type', async () => {
    const { id } = (await alice.post('/v1/archives/', { name: 'gone' })).body
    expect((await alice.call('DELETE', `/v1/archives/${id}`, '', JSON_BODY)).status).toBe(204)
  })

  test('of blanks alone is no JSON', async () => {
    expect((await alice.patch(url, ' \n', JSON_BODY)).body).toMatchObject({ status: 400, code: 'malformed_json' })
  })
})

describe('a key that means something to the language the server is written in', () => {
  const KEYS = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', '__defineGetter__']
  const POLLUTION = '{"polluted":true,"name":"x","value":"x"}'

  test.each(KEYS)('is the caller’s own in metadata, at any depth: %s', async (key) => {
    const text = `{"label":"own","value":"","metadata":{"${key}":${POLLUTION},"in":{"${key}":{"${key}":[null,1]}}}}`
    const made = await alice.post('/v1/blocks/', text, JSON_BODY)
    expect(made.status).toBe(200)
    const given = JSON.parse(text).metadata
    for (const { metadata } of [made.body, (await alice.get(`/v1/blocks/${made.body.id}`)).body]) {
      expect(Object.keys(metadata).sort()).toEqual([key, 'in'].sort())
      expect(metadata).toEqual(given)
      // In any order of the keys.
      expect(JSON.stringify(metadata)).toHaveLength(JSON.stringify(given).length)
    }
    expect((await alice.get('/v1/blocks/?label=own&order=desc&limit=1')).body).toEqual([made.body])
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
  })

  test.each(KEYS)('is refused by its name where names are known, and reaches no field: %s', async (key) => {
    for (const [method, path, field, text] of [
      ['PATCH', url, key, `{"${key}":${POLLUTION}}`],
      ['POST', '/v1/blocks/', key, `{"label":"x","value":"","${key}":${POLLUTION}}`],
      ['POST', '/v1/agents/', key, `{"name":"x","${key}":${POLLUTION}}`],
      ['POST', '/v1/agents/', `model_settings.${key}`, `{"model_settings":{"provider_type":"openai","${key}":1}}`],
      ['POST', '/v1/agents/', `compaction_settings.${key}`, `{"compaction_settings":{"${key}":${POLLUTION}}}`],
      ['POST', '/v1/agents/', `memory_blocks[0].${key}`, `{"memory_blocks":[{"label":"a","value":"","${key}":1}]}`],
    ] as const) {
      const reply = await alice.call(method, path, text, JSON_BODY)
      expect([text, reply.status]).toEqual([text, 422])
      expect(reply.body.errors).toContainEqual({ in: 'body', field, message: expect.stringMatching(/^is not a known/) })
    }
    expect((await alice.get(url)).body.value).toBe('as it was')
  })

  test.each(KEYS)('names a parameter no query has: %s', async (key) => {
    const reply = await alice.get(`/v1/blocks/?${key}=1`)
    expect(reply.body.errors).toMatchObject([{ in: 'query', field: key }])
  })

  test('may be the name of a secret, which another organization never sees', async () => {
    const { bob } = server
    const secrets = '{"__proto__":"p","constructor":"c"}'
    const made = await alice.post('/v1/agents/', `{"name":"Keys","secrets":${secrets}}`, JSON_BODY)
    const told = ({ body }: typeof made) => body.secrets.map(({ key, value }: Record<string, string>) => [key, value])
    expect(told(made).sort()).toEqual([
      ['__proto__', 'p'],
      ['constructor', 'c'],
    ])
    const his = await bob.post('/v1/agents/', { name: 'Plain', secrets: { PLAIN: '1' } })
    expect(told(his)).toEqual([['PLAIN', '1']])
  })
})

describe('a value that would not be stored exactly', () => {
  /** The one fault of a block's patch, which must leave the block alone. */
  async function faultOf(body: string) {
    const reply = await alice.patch(url, body, JSON_BODY)
    expect([reply.status, reply.body.errors?.length]).toEqual([422, 1])
    expect((await alice.get(url)).body).not.toHaveProperty('metadata.kept')
    return reply.body.errors[0]
  }

  test.each([
    ['a whole number that would become its neighbour', '9007199254740993'],
    ['a negative one', '-9007199254740993'],
    ['an id as long as some services have them', '12345678901234567890'],
    ['a number in exponents, as large', '1e21'],
    ['one beyond all numbers', '1e400'],
    ['one below them', '-1e400'],
  ])('is refused with its place and the remedy: %s', async (_, number) => {
    for (const [field, body] of [
      ['metadata.n', `{"metadata":{"kept":1,"n":${number}}}`],
      ['metadata.a.b.1.c', `{"metadata":{"kept":1,"a":{"b":[1,{"c":${number}}]}}}`],
      [`metadata.${'a.'.repeat(60)}n`, `{"metadata":${nested(60, `{"n":${number}}`)}}`],
    ] as const) {
      expect(await faultOf(body)).toEqual({
        in: 'body',
        field,
        message: 'is too large a number to be kept exactly: send it as a string',
      })
    }
  })

  test.each(['limit', 'metadata.limit'])('is refused at the top of a body and below it alike: %s', async (field) => {
    const body = field === 'limit' ? '{"limit":1e400}' : '{"metadata":{"limit":1e400}}'
    expect(await faultOf(body)).toMatchObject({ field })
  })

  test('is refused in the body of any other resource, of any organization', async () => {
    const { bob } = server
    const huge = '12345678901234567890'
    for (const [method, path, field, body] of [
      ['POST', '/v1/agents/', 'metadata.n', `{"metadata":{"n":${huge}}}`],
      ['POST', '/v1/agents/', 'llm_config.context_window', `{"llm_config":{"context_window":${huge}}}`],
      ['POST', '/v1/folders/', 'metadata.n', `{"name":"x","metadata":{"n":${huge}}}`],
      ['POST', '/v1/tools/', 'json_schema.maximum', `{"source_code":"","json_schema":{"name":"x","maximum":${huge}}}`],
      [
        'POST',
        '/v1/identities/',
        'properties.0.value',
        `{"identifier_key":"x","name":"x","identity_type":"user","properties":[{"key":"k","type":"number","value":${huge}}]}`,
      ],
    ] as const) {
      const reply = await bob.call(method, path, body, JSON_BODY)
      expect([path, reply.status, reply.body.errors?.[0].field]).toEqual([path, 422, field])
    }
  })

  test.each(['9007199254740991', '-9007199254740991', '0', '0.1', '-273.15', '5e-324', '123456789.125'])(
    'is not to be mistaken for a number that fits: %s comes back digit by digit',
    async (number) => {
      const { id } = (await alice.post('/v1/blocks/', { label: 'number', value: '' })).body
      const reply = await alice.patch(`/v1/blocks/${id}`, `{"metadata":{"n":${number}}}`, JSON_BODY)
      expect(reply.status).toBe(200)
      const response = await server.app.inject({
        url: `/v1/blocks/${id}`,
        headers: { authorization: `Bearer ${alice.key}` },
      })
      const shown = /"n":\s*([^}]*)}/.exec(response.body)?.[1]
      expect(Number(shown)).toBe(Number(number))
      const [listed] = (await alice.get('/v1/blocks/?label=number&order=desc&limit=1')).body
      expect(listed.metadata).toEqual({ n: Number(number) })
    },
  )

  test.each([
    ['a NUL character', '\\u0000', 'must not contain a NUL character'],
    ['the first half of a surrogate pair', '\\ud83d', 'must be well-formed Unicode: it holds half a surrogate pair'],
    ['the second half', '\\ude00', 'must be well-formed Unicode: it holds half a surrogate pair'],
    ['the halves in the wrong order', '\\ude00\\ud83d', 'must be well-formed Unicode: it holds half a surrogate pair'],
  ])('is refused as a text and as a key, at any depth: %s', async (_, text, message) => {
    for (const [field, body] of [
      ['value', `{"value":"a${text}"}`],
      ['tags.1', `{"tags":["a","b${text}"]}`],
      ['metadata.a.0.b', `{"metadata":{"kept":1,"a":[{"b":"${text}"}]}}`],
      [`metadata.a.${JSON.parse(`"${text}"`)}`, `{"metadata":{"kept":1,"a":{"${text}":1}}}`],
    ] as const) {
      const fault = await faultOf(body)
      expect(fault.message).toBe(message)
      expect(fault.field.toWellFormed()).toBe(field.toWellFormed())
    }
  })

  test('is one nested deeper than 64 levels, counting the body; 64 are stored', async () => {
    const { id } = (await alice.post('/v1/blocks/', { label: 'deep', value: '' })).body
    const deep = `{"metadata":${nested(63)}}`
    const reply = await alice.patch(`/v1/blocks/${id}`, deep, JSON_BODY)
    expect(reply.status).toBe(200)
    expect((await alice.get(`/v1/blocks/${id}`)).body.metadata).toEqual(JSON.parse(deep).metadata)
    for (const body of [`{"metadata":${nested(64)}}`, `{"metadata":${nested(62, '[[1]]')}}`]) {
      const { field, message } = await faultOf(body)
      expect(message).toBe('must not be nested deeper than 64 levels')
      expect(field).toMatch(/^metadata\.a\.a\./)
    }
  })
})
