import { SpanKind } from '@opentelemetry/api'
import type { FastifyInstance } from 'fastify'
import { ATTRIBUTES } from '../telemetry/names.ts'
import type { Telemetry } from '../telemetry/telemetry.ts'

/**
 * Reports each request by its route, never by its address: a span around its work, a child of the caller's span where the
 * headers name one; its time; and the readers of event streams.
 */
export function addRequestTelemetry(app: FastifyInstance, telemetry: Telemetry): void {
  app.addHook('onRequest', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'none'
    const attributes = { [ATTRIBUTES.method]: request.method, [ATTRIBUTES.route]: route }
    telemetry.within(request.headers, () => {
      const span = telemetry.begin(`${request.method} ${route}`, SpanKind.SERVER, attributes)
      reply.raw.once('close', () => {
        const status = { [ATTRIBUTES.httpStatus]: reply.statusCode }
        telemetry.requestDuration.record(reply.elapsedTime / 1000, { ...attributes, ...status })
        span?.setAttributes(status).end()
      })
      telemetry.within(span, done)
    })
  })
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (String(reply.getHeader('content-type')).startsWith('text/event-stream')) {
      telemetry.streamReaders.add(1)
      reply.raw.once('close', () => telemetry.streamReaders.add(-1))
    }
    done(null, payload)
  })
}
