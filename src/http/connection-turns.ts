import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

/** Handles the requests of a connection one after the other: the next one waits until the response before it has been read. */
export function addTurns(app: FastifyInstance): void {
  const latest = new WeakMap<Socket, ServerResponse>()
  app.addHook('onRequest', ({ raw: { socket } }, { raw }, done) => {
    const previous = latest.get(socket)
    latest.set(socket, raw)
    if (!previous || previous.closed) return done()
    // Node would read on, and hold every request that the caller sends.
    socket.pause()
    previous.once('close', () => {
      socket.resume()
      done()
    })
  })
}
