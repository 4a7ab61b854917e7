import type { FastifyReply, FastifyRequest } from 'fastify'

/** The two phases of a route that calls a service outside, such as a model, or receives a file. */
export interface Phases<Request, Reply, Prepared, Result> {
  /** Runs first and outside any transaction: network calls belong here. It runs for a repeated request, too. */
  prepare(request: Request, reply: Reply): Promise<Prepared>
  /** Runs second: in the transaction of a request that runs once, and not at all for a repeated one. */
  handle(request: Request, prepared: Prepared, reply: Reply): Result | Promise<Result>
}

/** Runs the first phase of a request, and returns its second phase. */
type Begin = (request: FastifyRequest, reply: FastifyReply) => Promise<() => unknown>

const BEGIN = Symbol('begin')

/**
 * The handler of a route with two phases. `handle` gets the result of `prepare` as its second argument; an error of
 * either is the response. See `addIdempotency` for the transaction between them.
 */
export function prepared<Request, Reply, Prepared, Result>({
  prepare,
  handle,
}: Phases<Request, Reply, Prepared, Result>): (request: Request, reply: Reply) => Promise<Result> {
  const begin = async (request: Request, reply: Reply) => {
    const result = await prepare(request, reply)
    return () => handle(request, result, reply)
  }
  return Object.assign(async (request: Request, reply: Reply) => (await begin(request, reply))(), { [BEGIN]: begin })
}

/** The first phase of a handler made by `prepared`; undefined for any other handler. */
export const beginOf = (handler: object): Begin | undefined => (handler as { [BEGIN]?: Begin })[BEGIN]
