import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../../test/server.ts'
import { handleClientError } from './errors.ts'

let server: TestServer
let port: number
beforeAll(async () => {
  server = await startTestServer()
  await server.app.listen({ port: 0, host: '127.0.0.1' })
  port = portOf(server.app.server)
})
afterAll(() => server.close())

const portOf = (http: Server) => (http.address() as AddressInfo).port

/** Sends bytes and keeps its half of the connection open. Resolves to the response once the server has closed its half. */
async function exchange(bytes: string | Buffer, http: Server = server.app.server): Promise<string> {
  const socket = connect({ port: portOf(http), host: '127.0.0.1', allowHalfOpen: true })
  let answer = ''
  socket.on('data', (chunk) => {
    answer += chunk
  })
  const read = new Promise<void>((resolve) => {
    socket.on('end', resolve)
    // Unread bytes reset the connection, after the response.
    socket.on('error', resolve)
  })
  const closed = new Promise((resolve) => {
    http.on('connection', function pair(accepted: Socket) {
      if (accepted.remotePort !== socket.localPort) return
      http.off('connection', pair)
      accepted.on('close', resolve)
    })
  })
  socket.write(bytes)
  await Promise.all([read, closed])
  socket.destroy()
  return answer
}

function expectProblem(answer: string, status: number, reason: string, code: string) {
  const [head, body] = answer.split('\r\n\r\n') as [string, string]
  const [line, ...headers] = head.split('\r\n')
  expect(line).toBe(`HTTP/1.1 ${status} ${reason}`)
  const problem = JSON.parse(body)
  expect(headers.sort()).toEqual([
    'Connection: close',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Content-Type: application/problem+json',
    `X-Request-Id: ${problem.request_id}`,
  ])
  expect(problem).toMatchObject({ type: `/errors/${code.replaceAll('_', '-')}`, status, code })
  expect(problem.message).toBe(problem.detail)
}

describe('a request that is not readable HTTP', () => {
  const post = 'POST /v1/blocks/ HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n'

  test.each<[string, string | Buffer]>([
    ['words', 'hello there\r\n\r\n'],
    ['a TLS greeting', Buffer.from('16030100f1010000ed0303', 'hex')],
    ['another version', 'GET / HTTP/9.9\r\nHost: x\r\n\r\n'],
    ['a line break in a header’s name', 'GET / HTTP/1.1\r\nHost: x\r\nX-A\nB: c\r\n\r\n'],
    ['a NUL character in a header', 'GET / HTTP/1.1\r\nHost: x\r\nX-A: a\0b\r\n\r\n'],
    ['a length that is none', `${post}Content-Length: ten\r\n\r\n`],
    ['two lengths', `${post}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`],
    ['a length and chunks', `${post}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}`],
    ['a chunk whose size is none', `${post}Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n`],
  ])('is a 400 in the one shape of errors, and the connection is closed: %s', async (_, bytes) => {
    expectProblem(await exchange(bytes), 400, 'Bad Request', 'bad_request')
  })

  test.each([20_000, 100_000, 2_000_000])('is a 431 when its headers have %d bytes', async (size) => {
    const answer = await exchange(`GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${'a'.repeat(size)}\r\n\r\n`)
    expectProblem(answer, 431, 'Request Header Fields Too Large', 'headers_too_large')
  })

  test('is a 431 when its path has more bytes than a head may have', async () => {
    const answer = await exchange(`GET /${'a'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`)
    expectProblem(answer, 431, 'Request Header Fields Too Large', 'headers_too_large')
  })

  test('is a 413 when its chunks have endless extensions', async () => {
    const answer = await exchange(`${post}Transfer-Encoding: chunked\r\n\r\n2;${'a'.repeat(20_000)}\r\n{}\r\n0\r\n\r\n`)
    expectProblem(answer, 413, 'Payload Too Large', 'payload_too_large')
  })

  test('is a 408 when its head never comes to an end', async () => {
    const impatient = createServer({ headersTimeout: 1, requestTimeout: 1, connectionsCheckingInterval: 1 })
    impatient.on('clientError', handleClientError)
    await once(impatient.listen(0, '127.0.0.1'), 'listening')
    const answer = await exchange('GET / HTTP/1.1\r\nHost', impatient)
    expectProblem(answer, 408, 'Request Timeout', 'request_timeout')
    await new Promise((resolve) => impatient.close(resolve))
  })

  test('leaves other connections unaffected, and no connection open', async () => {
    const ask = async (key: string) =>
      (await fetch(`http://127.0.0.1:${port}/v1/blocks`, { headers: { authorization: `Bearer ${key}` } })).status
    const noise = Array.from({ length: 50 }, (_, n) =>
      n % 2 ? 'noise\r\n\r\n' : `GET / HTTP/1.1\r\n${'a'.repeat(9e4)}`,
    )
    const others = Array.from({ length: 10 }, (_, n) => ask(n % 2 ? server.alice.key : server.bob.key))
    for (const bytes of noise) expect(await exchange(bytes)).toContain('problem+json')
    expect(await Promise.all(others)).toEqual(Array(10).fill(200))
    // An aborted request gets no response.
    await new Promise((resolve) => {
      const socket = connect(port, '127.0.0.1', () =>
        socket.write('POST / HTTP/1.1\r\nHost', () => socket.resetAndDestroy()),
      )
      socket.on('close', resolve)
    })
    expect(await ask(server.alice.key)).toBe(200)
  })
})
