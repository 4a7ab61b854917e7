import type { IncomingMessage, ServerResponse } from 'node:http'
import type {
  ContextConfigDefault,
  FastifyBaseLogger,
  FastifyReply,
  FastifyRequest,
  FastifySchema,
  RawServerDefault,
  RouteGenericInterface,
  RouteHandlerMethod,
  RouteShorthandOptions,
} from 'fastify'
import type { WireTypes } from './server.ts'

/** A handler whose request and response are typed by the schema `S`. */
type Handler<S extends FastifySchema> = RouteHandlerMethod<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  RouteGenericInterface,
  ContextConfigDefault,
  S,
  WireTypes,
  FastifyBaseLogger
>
type Request<S extends FastifySchema> = Parameters<Handler<S>>[0]
type Reply<S extends FastifySchema> = Parameters<Handler<S>>[1]

/** A route with two phases: one that calls a service outside, such as a model, or that receives a file. */
export interface PreparedRoute<S extends FastifySchema, Prepared>
  extends Pick<RouteShorthandOptions, 'bodyLimit' | 'config' | 'validatorCompiler'> {
  schema: S
  /** Runs first and outside any transaction: network calls belong here. It runs for a repeated request, too. */
  prepare(request: Request<S>, reply: Reply<S>): Promise<Prepared>
  /** Runs second: in the transaction of a request that runs once, and not at all for a repeated request. */
  handle(request: Request<S>, prepared: Prepared, reply: Reply<S>): ReturnType<Handler<S>>
}

/** Runs the first phase of a request, and returns its second phase. */
type Begin = (request: FastifyRequest, reply: FastifyReply) => Promise<() => unknown>

const BEGIN = Symbol('begin')

/**
 * The options of a route with two phases, for `app.post(path, prepared({ … }))`. `handle` gets the result of `prepare`
 * as its second argument; an error of either is the response. `addIdempotency` opens a transaction between them.
 */
export function prepared<const S extends FastifySchema, Prepared>({
  prepare,
  handle,
  ...options
}: PreparedRoute<S, Prepared>): Omit<PreparedRoute<S, Prepared>, 'prepare' | 'handle'> & { handler: Handler<S> } {
  const begin = async (request: Request<S>, reply: Reply<S>) => {
    const result = await prepare(request, reply)
    return () => handle(request, result, reply)
  }
  const handler = async (request: Request<S>, reply: Reply<S>) => (await begin(request, reply))()
  // It holds: `handle` returns the reply of `S`, here in a promise, but the framework's type resolves for a known `S` alone.
  return { ...options, handler: Object.assign(handler, { [BEGIN]: begin }) as never }
}

/** The first phase of a handler made by `prepared`; undefined for any other handler. */
export const beginOf = (handler: object): Begin | undefined => (handler as { [BEGIN]?: Begin })[BEGIN]
