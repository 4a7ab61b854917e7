import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Client, startTestServer, type TestServer } from '../../test/server.ts'

let server: TestServer
let port: number

/** So long that a connection nobody reads from can't hold an answer of them. */
const BLOCKS = 24
const CHARACTERS = 500_000

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

/** Asks for all blocks of a client, and waits until the answer begins to come; the rest of it waits to be read. */
async function ask({ key }: Client): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.write(
    `GET /v1/blocks/?limit=200 HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\nConnection: close\r\n\r\n`,
  )
  await once(socket, 'readable')
  return socket
}

const bodyOf = (answer: Buffer) => answer.subarray(answer.indexOf('\r\n\r\n') + 4)

test('an answer that is read slowly stays what it was, whatever else is answered or given up meanwhile', async () => {
  const clients = [server.alice, server.bob]
  const expected: Buffer[] = []
  for (const client of clients) expected.push(bodyOf(await buffer(await ask(client))))
  expect(expected.map((body) => JSON.parse(body.toString()).length)).toEqual([BLOCKS, BLOCKS])
  const slow = await Promise.all([...clients, ...clients].map(ask))
  const leaving = await Promise.all(clients.map(ask))
  for (const socket of leaving) socket.destroy()
  for (let round = 0; round < 3; round++) {
    const quick = await Promise.all([...clients].reverse().map(ask))
    for (const [n, socket] of quick.entries()) {
      expect(bodyOf(await buffer(socket)).equals(expected[1 - n]!)).toBe(true)
    }
  }
  for (const [n, socket] of slow.entries()) {
    expect(bodyOf(await buffer(socket)).equals(expected[n % 2]!)).toBe(true)
  }
})
