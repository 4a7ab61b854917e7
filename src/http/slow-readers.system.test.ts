import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { buffer } from 'node:stream/consumers'
import fastify from 'fastify'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Client, startTestServer, type TestServer } from '../../test/server.ts'
import { addSlowReaders } from './slow-readers.ts'

let server: TestServer
let port: number

/** Long responses, together larger than the buffers of a connection whose caller doesn't read. */
const BLOCKS = 9
const CHARACTERS = 490_000
const ANSWERS = 5

beforeAll(async () => {
  server = await startTestServer()
  await server.app.listen({ port: 0, host: '127.0.0.1' })
  port = (server.app.server.address() as AddressInfo).port
  for (const [letter, { post }] of [
    ['a', server.alice],
    ['b', server.bob],
  ] as const) {
    for (let n = 0; n < BLOCKS; n++) {
      await post('/v1/blocks/', { label: `block_${n}`, value: letter.repeat(CHARACTERS), limit: CHARACTERS })
    }
  }
})
afterAll(() => server.close())

/** Requests all blocks of a client several times, and waits for the start of the responses; the rest stays unread. */
async function ask({ key }: Client): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  const head = `GET /v1/blocks/?limit=200 HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\n`
  socket.write(`${`${head}\r\n`.repeat(ANSWERS - 1)}${head}Connection: close\r\n\r\n`)
  await once(socket, 'readable')
  return socket
}

/** The bodies of the responses, in order. */
const read = async (socket: Socket) => (await buffer(socket)).toString().replace(/HTTP\/1\.1 200 [\s\S]*?\r\n\r\n/g, '')

test('a response that is read slowly stays intact while other responses are sent or aborted', async () => {
  const clients = [server.alice, server.bob]
  const expected: string[] = []
  for (const client of clients) {
    const { body } = await client.get('/v1/blocks/?limit=200')
    expected.push(JSON.stringify(body).repeat(ANSWERS))
  }
  expect(expected[0]!.length).toBeGreaterThan(ANSWERS * BLOCKS * CHARACTERS)
  const slow = await Promise.all([...clients, ...clients].map(ask))
  const leaving = await Promise.all(clients.map(ask))
  for (const socket of leaving) socket.destroy()
  for (let round = 0; round < 3; round++) {
    const quick = await Promise.all([...clients].reverse().map(ask))
    for (const [n, socket] of quick.entries()) expect((await read(socket)) === expected[1 - n]).toBe(true)
  }
  for (const [n, socket] of slow.entries()) expect((await read(socket)) === expected[n % 2]).toBe(true)
})

/** A server with a response of 32 MB, more than the buffers of a connection, and the number of times it was made. */
async function startLongResponses(graceMs: number) {
  const app = fastify()
  addSlowReaders(app, { maxBytes: 100_000_000, graceMs })
  const bytes = Buffer.alloc(32_000_000, 'x')
  const state = { handled: 0 }
  app.get('/', async () => {
    state.handled++
    return bytes
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo
  /** Sends requests on a connection of its own, and waits for the start of the first response. */
  const open = async (requests: number) => {
    const socket = connect(port, '127.0.0.1')
    socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(requests))
    await once(socket, 'readable')
    return socket
  }
  return { app, state, open, length: bytes.length }
}

test('requests that a caller sends without reading the responses wait, and are all handled once it reads', async () => {
  const { app, state, open, length } = await startLongResponses(0)
  const slow = await open(100)
  const other = await open(1)
  expect(state.handled).toBe(2)
  let received = 0
  slow.on('data', (part: Buffer) => {
    received += part.length
    if (received > 4 * length) slow.destroy()
  })
  await once(slow, 'close')
  expect(state.handled).toBeGreaterThan(4)
  other.destroy()
  await app.close()
})

test('callers that read slowly take a bounded memory together: the slowest connection ends first', async () => {
  const { app, open, length } = await startLongResponses(0)
  const slow: Socket[] = []
  for (let n = 0; n < 3; n++) slow.push(await open(1))
  const last = await open(1)
  const lengthOf = async (socket: Socket) => {
    let received = 0
    socket.on('error', () => {})
    for await (const part of socket) {
      received += part.length
      if (received >= length) break
    }
    return received
  }
  expect(await lengthOf(slow[0]!).catch(() => 0)).toBeLessThan(length)
  for (const socket of [slow[1]!, slow[2]!, last]) expect(await lengthOf(socket)).toBeGreaterThanOrEqual(length)
  await app.close()
})

test('callers that read at once are left alone, however much they read together', async () => {
  const { app, open, length } = await startLongResponses(1_000_000)
  const sockets = await Promise.all(Array.from({ length: 6 }, () => open(1)))
  for (const socket of sockets) {
    let received = 0
    for await (const part of socket) {
      received += part.length
      if (received >= length) break
    }
    expect(received).toBeGreaterThanOrEqual(length)
  }
  await app.close()
})
