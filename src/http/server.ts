import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'

import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyTypeProvider,
  LogController,
  type RawServerDefault,
} from 'fastify'
import type { Static, TSchema } from 'typebox'
import type { Rendered } from '../db/render/rendered.ts'
import { addJsonParser } from './body.ts'
import { addErrors, handleClientError, refusePath } from './errors.ts'
import { addExpectContinue } from './expect-continue.ts'
import { addHeaders } from './headers.ts'
import { addLetta, createTranslate } from './letta-translation.ts'
import { bodyOf } from './outgoing.ts'
import { addPublicUrl, type ProxySettings, proxyOptions } from './proxy.ts'
import { addRequestLog } from './request-log.ts'
import { addSlowReaders } from './slow-readers.ts'
import { addEventStreams } from './sse.ts'
import { addValidation, createValidatorCompiler } from './validation.ts'

/** Types handlers by their schemas. A handler returns a value of its response's type, or rendered JSON of that type. */
export interface WireTypes extends FastifyTypeProvider {
  validator: this['schema'] extends TSchema ? Static<this['schema']> : unknown
  serializer: this['schema'] extends TSchema ? Static<this['schema']> | Rendered<Static<this['schema']>> : unknown
}

/** A server whose handlers are typed by their schemas. */
export type App = FastifyInstance<RawServerDefault, IncomingMessage, ServerResponse, FastifyBaseLogger, WireTypes>

/** Types the handlers of a server by the schemas of their routes. Plugins of `src/http` don't need that. */
export const withSchemaTypes = (app: FastifyInstance): App => app.withTypeProvider<WireTypes>()

/** The request ids that are accepted from a caller. */
const REQUEST_ID = /^[\w.:-]{1,128}$/

/** Options that end requests which arrive too slowly: `seconds` for all of a request, a minute at most for its headers. */
const timeouts = (seconds: number) => ({
  requestTimeout: seconds * 1000,
  // Node would count neither time if that of the headers were the longer one.
  http: {
    headersTimeout: Math.min(60, seconds) * 1000,
    connectionsCheckingInterval: Math.min(10, seconds / 10) * 1000,
  },
})

/** A server without routes: it parses, translates and validates requests, responds to errors, sets headers and logs. */
export function createServer(options: {
  bodyLimit: number
  /** The longest time that a request, its body included, may take to arrive, in seconds. */
  requestTimeout: number
  logger: FastifyBaseLogger
  shapes: readonly TSchema[]
  proxy: ProxySettings
}): FastifyInstance {
  const app: FastifyInstance = Fastify({
    loggerInstance: options.logger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
    bodyLimit: options.bodyLimit,
    ...timeouts(options.requestTimeout),
    ...proxyOptions(options.proxy),
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 1000 },
    frameworkErrors: refusePath as never,
    clientErrorHandler: handleClientError,
    // A stopping server still handles the requests of open connections.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    genReqId: (request) => {
      const sent = request.headers['x-request-id']
      return typeof sent === 'string' && REQUEST_ID.test(sent) ? sent : randomUUID()
    },
  })

  app.setValidatorCompiler(createValidatorCompiler(options.shapes))
  // fast-json-stringify would drop unknown fields and fail on an unmatched variant of a union.
  // The cast holds: the framework sends buffers and streams too, which spares it to encode the text and to count its bytes.
  app.setSerializerCompiler(() => (value) => bodyOf(value) as unknown as string)
  app.removeContentTypeParser('text/plain')
  addJsonParser(app)
  // A closing server ends each connection after its response: an open one would delay the end.
  let closing = false
  app.addHook('preClose', async () => {
    closing = true
  })
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (closing) reply.header('connection', 'close')
    done(null, payload)
  })
  addRequestLog(app)
  addSlowReaders(app)
  addExpectContinue(app)
  addErrors(app)
  addPublicUrl(app, options.proxy)
  // Before the headers, which depend on the length of the translated body.
  addLetta(app, options.shapes)
  addHeaders(app)
  addEventStreams(app, createTranslate(options.shapes))
  addValidation(app)
  return app
}
