import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'

/**
 * Whether the caller of a request waits for `100 Continue` before it sends the body (RFC 9110 §10.1.1). It goes on waiting
 * when the response comes first.
 */
export const awaitsContinue = ({ headers, readableFlowing }: IncomingMessage): boolean =>
  /^100-continue$/i.test(headers.expect ?? '') && readableFlowing === null

/**
 * Sends `100 Continue` once a handler begins to read the body: a caller without a valid key, or whose body is too large,
 * gets the error instead. The connection closes after an error, since the server can't know whether the body follows.
 */
export function addExpectContinue(app: FastifyInstance): void {
  app.server.on('checkContinue', (request, response) => {
    request.once('resume', () => {
      if (!response.headersSent) response.writeContinue()
    })
    app.server.emit('request', request, response)
  })
  app.addHook('onSend', (request, reply, payload, done) => {
    if (awaitsContinue(request.raw)) reply.header('connection', 'close')
    done(null, payload)
  })
}
