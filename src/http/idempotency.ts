import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { awaitAnswer, claimAnswer, joinAnswer, keepAnswer } from '../db/idempotency-store.ts'
import { COMPOSED, NEXT, type PageOf, VERSION, type Versioned } from '../db/marks.ts'
import { toApiError } from '../db/pg-errors.ts'
import { Rendered } from '../db/render/rendered.ts'
import type { Scope } from '../db/scope.ts'
import { ApiError, inProgress } from '../lib/errors.ts'
import { type Claim, claimOf, preBodyHash, retriesOf, reused } from './idempotency-key.ts'
import { jsonText } from './outgoing.ts'
import { beginOf } from './prepared.ts'
import { createRecentFailures, type RecentFailures } from './recent-failures.ts'

/** The methods that need it: GET, HEAD and PUT may be sent again as they are (RFC 9110 §9.2.2). */
const METHODS = ['POST', 'PATCH', 'DELETE']

/** How long answers are kept, in seconds: named by the caller, and for an SDK that may send the request again. */
const KEPT_S = { key: 24 * 60 * 60, first: 5 * 60, again: 5 * 60 }

/** How far a claim's request got. */
interface ClaimState {
  id: string
  /** Whether the request that it repeats had failed. */
  failed: boolean
  /** Whether all is written but the commit. */
  written: boolean
}

/** An answer as it can be given again: the head as JSON, a line end, the body. */
interface Head {
  fingerprint: string
  status: number
  /** Whether the database has written the body: it then bears the caller's names. */
  written: boolean
  headers: Record<string, string>
  version?: number | undefined
  composed?: boolean | undefined
  next?: { after?: string; before?: string } | undefined
}

interface Answer {
  head: Head
  body: string | undefined
}

const write = ({ head, body }: Answer) => JSON.stringify(head) + (body === undefined ? '' : `\n${body}`)

function read(text: string): Answer {
  const end = text.indexOf('\n')
  if (end < 0) return { head: JSON.parse(text), body: undefined }
  return { head: JSON.parse(text.slice(0, end)), body: text.slice(end + 1) }
}

/** What a handler returned, with the marks that become `ETag` and `Link` on its way out. */
function payloadOf({ head, body }: Answer): unknown {
  if (body === undefined) return undefined
  const marks: Versioned & Pick<PageOf<unknown>, typeof NEXT> = {}
  if (head.version !== undefined) marks[VERSION] = head.version
  if (head.composed) marks[COMPOSED] = true
  if (head.next) marks[NEXT] = head.next
  const payload: unknown = head.written ? new Rendered([body]) : JSON.parse(body)
  return payload !== null && typeof payload === 'object' ? Object.assign(payload, marks) : payload
}

/** Runs a handler, and makes what it returns an answer that can be kept. */
async function run(
  handler: () => unknown,
  fingerprint: string,
  reply: FastifyReply,
  given: Set<string>,
): Promise<Answer> {
  const payload = await handler()
  if (reply.sent) throw new Error('A handler must return its answer: sent by itself it would be out before the commit.')
  const { [VERSION]: version, [COMPOSED]: composed, [NEXT]: next } = Object(payload) as PageOf<unknown> & Versioned
  const headers = Object.entries(reply.getHeaders()).filter(([name]) => !given.has(name)) as [string, string][]
  return {
    head: {
      fingerprint,
      status: reply.statusCode,
      written: payload instanceof Rendered,
      headers: Object.fromEntries(headers),
      version,
      composed,
      next,
    },
    body: payload === undefined ? undefined : jsonText(payload),
  }
}

/** The answer kept for a claim, if there is one. From here to the end of the transaction the claim is this one's. */
async function keptFor(scope: Scope, claim: Claim, failed: boolean): Promise<string | undefined> {
  if (claim.kind === 'first') {
    await joinAnswer(scope, claim.id)
    return undefined
  }
  if (claim.kind === 'again') {
    const answer = await awaitAnswer(scope, claim.id)
    // An equal request's before it: the one that is sent again here has failed.
    return failed ? undefined : answer
  }
  const { answer, taken } = await claimAnswer(scope, claim.id)
  if (taken) throw beingAnswered()
  return answer
}

const beingAnswered = () =>
  inProgress('A request with this Idempotency-Key is being answered at the moment. Send it again for its answer.')

/** Runs a handler in one transaction with the keeping of its answer, or finds the answer of the request before. */
async function answerOnce(
  claim: Claim,
  request: FastifyRequest,
  reply: FastifyReply,
  handler: () => unknown,
  state: ClaimState,
): Promise<unknown> {
  const { scope } = request
  const given = new Set(Object.keys(reply.getHeaders()))
  try {
    const { answer, replayed } = await scope.transaction(async (inside) => {
      state.written = false
      const kept = await keptFor(inside, claim, state.failed)
      if (kept !== undefined) return { answer: read(kept), replayed: true }
      request.scope = inside
      const answer = await run(handler, claim.fingerprint, reply, given)
      const keeping = { seconds: KEPT_S[claim.kind], replace: claim.kind !== 'key' }
      await keepAnswer(inside, claim.id, write(answer), keeping)
      state.written = true
      return { answer, replayed: false }
    })
    if (replayed) {
      if (answer.head.fingerprint !== claim.fingerprint) throw reused()
      reply.code(answer.head.status).headers(answer.head.headers).header('idempotent-replayed', 'true')
    }
    return payloadOf(answer)
  } finally {
    request.scope = scope
  }
}

/** Whether an SDK sends a request again that got this error. */
function isRetried(error: unknown): boolean {
  const answer = toApiError(error)
  if (!(answer instanceof ApiError)) return !((error as { statusCode?: number }).statusCode! < 500)
  return answer.headers['x-should-retry'] !== 'false' && (answer.status >= 500 || [409, 429].includes(answer.status))
}

/** Notes the requests of SDKs that failed and will be sent again: those have nothing to be answered from. */
function addFailureNotes(app: FastifyInstance, failures: RecentFailures): void {
  app.addHook('onError', (request, _reply, error, done) => {
    const { claim } = request
    if (request.routeOptions.config.idempotency === 'row') return done()
    const first = METHODS.includes(request.method) && retriesOf(request) === 0
    // Where the commit failed nobody knows whether it has happened: what is kept will tell.
    if ((first || claim?.failed) && !claim?.written && isRetried(error)) failures.add(claim?.id ?? preBodyHash(request))
    done()
  })
}

/**
 * Answers a request that is sent again as it was answered before, and runs it once. A caller says so with
 * `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header); SDKs made by Stainless say which of their requests are
 * repetitions. The answer is kept in the transaction of the write itself, so a crash leaves both or neither, and every
 * server on the database finds it. Answers of errors aren't kept: they have changed nothing, and running the request
 * again tells what is so now. Requests of other callers cost nothing; for these, four statements more.
 *
 * The handler runs inside the transaction, so it may call the database alone. A route that calls anything else has two
 * phases: see `prepared`. A route with `idempotency: 'row'` gets no transaction: see FastifyContextConfig.
 */
export function addIdempotency(app: FastifyInstance): void {
  /** What this server is answering now, by claim. */
  const running = new Map<string, Set<Promise<unknown>>>()
  const failures = createRecentFailures()
  addFailureNotes(app, failures)

  async function once(request: FastifyRequest, reply: FastifyReply, claim: Claim, handler: () => unknown) {
    if (claim.kind === 'key' && running.has(claim.id)) throw beingAnswered()
    // Waited for here, a repetition holds no connection meanwhile.
    if (claim.kind === 'again') await Promise.allSettled(running.get(claim.id) ?? [])
    const failed = claim.kind === 'again' && (failures.take(claim.id) || failures.take(preBodyHash(request)))
    const state = { id: claim.id, failed, written: false }
    request.claim = state
    const answer = answerOnce(claim, request, reply, handler, state)
    const all = running.get(claim.id) ?? new Set()
    running.set(claim.id, all.add(answer))
    try {
      return await answer
    } finally {
      all.delete(answer)
      if (all.size === 0) running.delete(claim.id)
    }
  }

  app.addHook('onRoute', (route) => {
    if (![route.method].flat().some((method) => METHODS.includes(method))) return
    if (route.config?.idempotency === 'row') return
    const { handler } = route
    const begin = beginOf(handler)
    const respond = (request: FastifyRequest, reply: FastifyReply, handle: () => unknown) => {
      const claim = claimOf(request)
      return claim ? once(request, reply, claim, handle) : handle()
    }
    route.handler = begin
      ? async (request, reply) => respond(request, reply, await begin(request, reply))
      : function (request, reply) {
          return respond(request, reply, () => handler.call(this, request, reply))
        }
  })
}

declare module 'fastify' {
  interface FastifyRequest {
    /** What the request claims, once it is being answered. */
    claim?: ClaimState
  }
  interface FastifyContextConfig {
    /**
     * `row`: the row that the handler inserts is the idempotency claim of its request. The handler runs in no transaction,
     * for work longer than one may be open. It calls `claimOf(request)`, stores `id` and `fingerprint` with the row, whose
     * `id` is unique in the organization, and responds to a repeated request from that row: with `reused()` where the
     * fingerprint is another. By default the response is stored in the transaction of the handler.
     */
    idempotency?: 'row'
  }
}
