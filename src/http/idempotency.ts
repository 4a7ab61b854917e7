import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { toApiError } from '../db/pg-errors.ts'
import { ApiError } from '../lib/errors.ts'
import { type Claim, claimOf, preBodyHash, retriesOf } from './idempotency-key.ts'
import { beginOf } from './prepared.ts'
import { createRecentFailures, type RecentFailures } from './recent-failures.ts'
import { type ClaimState, keyInUse, runClaimed, runOnce } from './run-once.ts'

/** The methods that aren't idempotent by themselves; GET, HEAD and PUT are (RFC 9110 §9.2.2). */
const METHODS = ['POST', 'PATCH', 'DELETE']

/** Whether an SDK retries a request that got this error. */
function isRetried(error: unknown): boolean {
  const response = toApiError(error)
  if (!(response instanceof ApiError)) return !((error as { statusCode?: number }).statusCode! < 500)
  const { headers, status } = response
  return headers['x-should-retry'] !== 'false' && (status >= 500 || [409, 429].includes(status))
}

/** Records failed requests that an SDK will retry: no response of theirs is stored. */
function recordFailures(app: FastifyInstance, failures: RecentFailures): void {
  app.addHook('onError', (request, _reply, error, done) => {
    const { claim } = request
    if (request.routeOptions.config.idempotency === 'row') return done()
    const first = METHODS.includes(request.method) && retriesOf(request) === 0
    // A failed commit may still have happened: the stored response will show it.
    if ((first || claim?.failed) && !claim?.written && isRetried(error)) failures.add(claim?.id ?? preBodyHash(request))
    done()
  })
}

type Work = (once: Parameters<typeof runOnce>[0]) => Promise<unknown>

/** Does work once for each claim, as `runOnce`, and makes a retry wait for the attempts that run in this process. */
function createOnce(failures: RecentFailures, server: string) {
  const running = new Map<string, Set<Promise<unknown>>>()
  return async (request: FastifyRequest, reply: FastifyReply, claim: Claim, work: Work) => {
    if (claim.kind === 'key' && running.has(claim.id)) throw keyInUse()
    // Waiting here rather than for the lock, a retry holds no connection.
    if (claim.kind === 'again') await Promise.allSettled(running.get(claim.id) ?? [])
    const failed = claim.kind === 'again' && (failures.take(claim.id) || failures.take(preBodyHash(request)))
    const state = { id: claim.id, failed, written: false }
    request.claim = state
    const payload = work({ claim, request, reply, state, server })
    const all = running.get(claim.id) ?? new Set()
    running.set(claim.id, all.add(payload))
    try {
      return await payload
    } finally {
      all.delete(payload)
      if (all.size === 0) running.delete(claim.id)
    }
  }
}

/**
 * Runs a repeated request once, and sends its first response again. A caller names the request with `Idempotency-Key`
 * (draft-ietf-httpapi-idempotency-key-header); SDKs made by Stainless count their retries. The response is stored in the
 * transaction of the write, so a crash leaves both or neither, and every server on the database finds it. Errors aren't
 * stored: they have changed nothing, so the request runs again. Four statements more for these callers, none for others.
 *
 * The handler runs inside the transaction, so it may call the database alone. A route that calls a service outside has two
 * phases: see `prepared`. Routes with an `idempotency` of their own: see FastifyContextConfig. `server` is the id of this server.
 */
export function addIdempotency(app: FastifyInstance, server: string): void {
  const failures = createRecentFailures()
  const once = createOnce(failures, server)
  recordFailures(app, failures)

  app.addHook('onRoute', (route) => {
    if (![route.method].flat().some((method) => METHODS.includes(method))) return
    if (route.config?.idempotency === 'row') return
    const { handler } = route
    const begin = beginOf(handler)
    const isClaimed = route.config?.idempotency === 'claimed'
    const respond = (request: FastifyRequest, reply: FastifyReply, handle: () => unknown) => {
      const claim = claimOf(request)
      return claim ? once(request, reply, claim, (one) => runOnce(one, handle)) : handle()
    }
    route.handler = begin
      ? async (request, reply) => {
          const claim = isClaimed && claimOf(request)
          if (claim) return once(request, reply, claim, (one) => runClaimed(one, () => begin(request, reply)))
          return respond(request, reply, await begin(request, reply))
        }
      : function (request, reply) {
          return respond(request, reply, () => handler.call(this, request, reply))
        }
  })
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The state of the request's claim, once its handler runs. */
    claim?: ClaimState
  }
  interface FastifyContextConfig {
    /**
     * `row`: the row that the handler inserts is the idempotency claim of its request. The handler runs in no transaction,
     * for work longer than one may be open. It calls `claimOf(request)`, stores `id` and `fingerprint` with the row, whose
     * `id` is unique in the organization, and responds to a repeated request from that row: with `reused()` where the
     * fingerprint is another. By default the response is stored in the transaction of the handler.
     *
     * `claimed`, of a prepared route: its first phase has effects elsewhere, such as those of a tool. The claim is stored before
     * that phase, which goes on when the caller is gone, and a repeated request never runs it: without a response yet, it gets a 409.
     */
    idempotency?: 'row' | 'claimed'
  }
}
