import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { createGatheringSocket } from './socket.ts'

/** A connected socket, and all text that its server will have received at the end. */
async function connect() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const received = once(server, 'connection').then(([connection]) => text(connection))
  const socket = createGatheringSocket().connect((server.address() as AddressInfo).port, '127.0.0.1')
  await once(socket, 'connect')
  server.close()
  return { socket, received }
}

/** Writes as the driver does. */
function send(socket: Socket, statement: string) {
  socket.cork()
  socket.write(statement)
  socket.uncork()
}

test('statements of one turn of the event loop are sent together, in their order', async () => {
  const { socket, received } = await connect()
  for (const statement of ['one ', 'two ', 'three ']) send(socket, statement)
  expect(socket.writableLength).toBe('one two three '.length)
  await new Promise((resolve) => setImmediate(resolve))
  expect(socket.writableCorked).toBe(0)
  socket.end('four')
  expect(await received).toBe('one two three four')
})

test('a connection that ends sends the statements of its last turn first', async () => {
  const { socket, received } = await connect()
  send(socket, 'one ')
  socket.end('two')
  expect(await received).toBe('one two')
})
