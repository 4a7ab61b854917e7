import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { AT_ROOT } from './letta.ts'

/**
 * Adds `listenForLetta`. Connections of that port are handed to the server's own, which handles and closes them like all others;
 * a closing server waits for their last responses.
 */
export function addLettaPort(app: FastifyInstance): void {
  const listeners: Server[] = []
  let closed: Promise<unknown> = Promise.resolve()
  app.addHook('preClose', async () => {
    closed = Promise.all(listeners.map((listener) => new Promise((done) => listener.close(done))))
  })
  app.addHook('onClose', async () => {
    await closed
  })

  async function listen(port: number, host: string): Promise<number> {
    // The options of an HTTP server: a caller may close its half of a connection before the response.
    const listener = createServer({ allowHalfOpen: true, noDelay: true }, (socket) =>
      app.server.emit('connection', Object.assign(socket, { [AT_ROOT]: true })),
    )
    await once(listener.listen(port, host), 'listening')
    listeners.push(listener)
    return (listener.address() as AddressInfo).port
  }

  app.decorate('listenForLetta', async (wanted: number, host: string) => {
    const [first, ...others] = new Set((await lookup(host, { all: true })).map(({ address }) => address))
    const port = await listen(wanted, first!)
    // `localhost` may name an address that the machine doesn't have.
    await Promise.allSettled(others.map((address) => listen(port, address)))
    return port
  })
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Serves the surface for Letta clients at the root of a port. Returns the port; rejects as `listen` does. */
    listenForLetta(port: number, host: string): Promise<number>
  }
}
