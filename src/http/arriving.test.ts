import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../../test/server.ts'

let server: TestServer
let port: number
let folder: string
const logged: { level: number; status?: number }[] = []

beforeAll(async () => {
  const lines = new Writable({
    write(line, _, done) {
      logged.push(JSON.parse(String(line)))
      done()
    },
  })
  server = await startTestServer({ requestTimeout: 0.5 }, { logger: pino({ level: 'info' }, lines) })
  await server.app.listen({ port: 0, host: '127.0.0.1' })
  port = (server.app.server.address() as AddressInfo).port
  folder = (await server.alice.post('/v1/folders/', { name: 'Aborted' })).body.id
})
afterAll(() => server.close())

/** Opens a connection, and sends the head of a request. */
function open(request: string, headers: Record<string, string | number> = {}, key = server.alice.key): Socket {
  const socket = connect(port, '127.0.0.1')
  const all = { host: 'localhost', authorization: `Bearer ${key}`, ...headers }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.write(`${request} HTTP/1.1\r\n${lines.join('')}\r\n`)
  return socket
}

const json = { 'content-type': 'application/json' }
const waiting = { ...json, expect: '100-continue' }

describe('a caller that waits for 100 Continue', () => {
  const created = JSON.stringify({ label: 'continued', value: 'x' })

  test('is asked for the body, once', async () => {
    const socket = open('POST /v1/blocks/', { ...waiting, 'content-length': created.length, connection: 'close' })
    const [first] = await once(socket, 'data')
    expect(String(first)).toBe('HTTP/1.1 100 Continue\r\n\r\n')
    socket.write(created)
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*"label":"continued"/)
  })

  test.each([
    ['a body that is too large', () => ['POST /v1/blocks/', waiting, server.alice.key] as const, 413],
    ['a body that is too large for an import', () => ['POST /v1/agents/import', FORM, server.alice.key] as const, 413],
    ['a file that is too large', () => [`POST /v1/folders/${folder}/upload`, FORM, server.alice.key] as const, 413],
    ['a wrong key', () => ['POST /v1/blocks/', waiting, 'wrong'] as const, 401],
  ])('gets the error instead, and the end of the connection: %s', async (_, request, status) => {
    const [line, headers, key] = request()
    const socket = open(line, { ...headers, 'content-length': 900_000_000 }, key)
    expect(await text(socket)).toMatch(new RegExp(`^HTTP/1\\.1 ${status} [\\s\\S]*connection: close\r\n`, 'i'))
  })
})

const FORM = { expect: '100-continue', 'content-type': 'multipart/form-data; boundary=b' }

test('a request whose body takes too long to arrive is a 408, and the connection ends', async () => {
  const socket = open('POST /v1/blocks/', { ...json, 'content-length': 100 })
  socket.write('{"label":')
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 408 [\s\S]*"code":"request_timeout"/)
})

describe('a caller that leaves', () => {
  const form = { 'content-type': 'multipart/form-data; boundary=b', 'content-length': 1000 }
  const part = '--b\r\ncontent-disposition: form-data; name="file"; filename="a.txt"\r\n\r\nsome text'

  test.each([
    ['in the middle of its body', () => ['POST /v1/blocks/', json, '{"label":'] as const],
    ['in the middle of a file', () => [`POST /v1/folders/${folder}/upload`, form, part] as const],
    ['in the middle of an agent file', () => ['POST /v1/agents/import', form, part] as const],
    ['before the response', () => ['GET /v1/agents/', { 'content-length': 1 }, '-'] as const],
  ])('is no error in the log: %s', async (_, request) => {
    const [line, headers, sent] = request()
    const before = logged.length
    const connected = once(server.app.server, 'connection')
    const socket = open(line, { 'content-length': 1000, ...headers })
    const [accepted] = (await connected) as [Socket]
    const received = once(server.app.server, 'request')
    socket.write(sent)
    await received
    socket.destroy()
    await once(accepted, 'close')
    for (let n = 0; n < 3; n++) await server.alice.get('/v1/blocks/')
    const lines = logged.slice(before)
    expect(lines).toContainEqual(expect.objectContaining({ ip: '127.0.0.1', msg: 'the caller left' }))
    expect(lines.filter(({ level, status = 0 }) => level > 30 || status >= 500)).toEqual([])
  })
})

describe('the issues of a request', () => {
  const issuesOf = async (body: object) => {
    const { status, body: problem } = await server.bob.post('/v1/agents/', body)
    expect([status, problem.code]).toEqual([422, 'invalid'])
    return problem
  }

  test.each([
    ['tags of a wrong type', { tags: Array(5_000).fill(1) }],
    ['tool rules of no kind', { tool_rules: Array(3_000).fill({ tool_name: 1 }) }],
    ['unknown keys', Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`key_${n}`, 1]))],
  ])('are reported up to a hundred, however many there are: %s', async (_, body) => {
    const { errors, detail } = await issuesOf(body)
    expect([errors.length <= 100, errors.length > 0]).toEqual([true, true])
    expect(detail.length).toBeLessThan(100_000)
  })

  test('are reported in few bytes, however long the names of unknown keys are', async () => {
    const { errors } = await issuesOf({ ['x'.repeat(500_000)]: 1 })
    expect(errors).toEqual([expect.objectContaining({ field: `${'x'.repeat(500)}…` })])
  })
})
