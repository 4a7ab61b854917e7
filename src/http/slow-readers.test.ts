import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Client, startTestServer, type TestServer } from '../../test/server.ts'

let server: TestServer
let port: number

/** Long responses, together larger than the buffers of a connection whose caller doesn't read. */
const BLOCKS = 8
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
