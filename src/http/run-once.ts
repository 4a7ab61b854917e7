import type { FastifyReply, FastifyRequest } from 'fastify'
import {
  awaitResponse,
  claimResponse,
  forgetResponse,
  isServerAlive,
  joinResponse,
  storeResponse,
} from '../db/idempotency-store.ts'
import type { Scope } from '../db/scope.ts'
import { conflict, inProgress } from '../lib/errors.ts'
import { type Claim, reused } from './idempotency-key.ts'
import { recordResponse } from './record-response.ts'
import { begunAt, parseResponse, payloadOf, type StoredResponse, serializeResponse } from './stored-response.ts'

/** How long responses are stored, in seconds: for an Idempotency-Key, and for an SDK that may retry. */
const STORED_S = { key: 24 * 60 * 60, first: 5 * 60, again: 5 * 60 }

/** The progress of the request behind a claim. */
export interface ClaimState {
  id: string
  /** Whether the attempt that this request repeats had failed. */
  failed: boolean
  /** Whether everything is written and only the commit is left. */
  written: boolean
}

/** 409: another request with the same key is running. */
export const keyInUse = () =>
  inProgress('A request with this Idempotency-Key is being answered at the moment. Send it again for its answer.')

/** The longest work of a request that was claimed before: a tool with the installation of its packages. */
const LONGEST_MS = 15 * 60_000

/** 409: the request has begun at a server, and there is no response of it. Requests that run at this server don't come here. */
async function unfinished({ request: { scope }, server }: Once, begun: string, at = '') {
  const isRecent = Date.now() - Date.parse(begun) < LONGEST_MS
  if (isRecent && at !== server && (await isServerAlive(scope, at))) return keyInUse()
  return conflict(
    `This request began at ${begun}, and its server ended before it stored the response: whether its work was done is not known. ` +
      'Send it with another Idempotency-Key to have it done again.',
  )
}

/** The response stored for a claim, if there is one. The transaction owns the claim until it ends. 409. */
async function lookUp(scope: Scope, { id, kind }: Claim, failed: boolean): Promise<StoredResponse | undefined> {
  if (kind === 'first') {
    await joinResponse(scope, id)
    return undefined
  }
  if (kind === 'again') {
    const stored = await awaitResponse(scope, id)
    const response = stored === undefined ? undefined : parseResponse(stored)
    // The first attempt has failed, so a stored response belongs to an equal request before it.
    return failed && !response?.head.begun ? undefined : response
  }
  const { response, taken } = await claimResponse(scope, id)
  if (taken) throw keyInUse()
  return response === undefined ? undefined : parseResponse(response)
}

interface Once {
  claim: Claim
  request: FastifyRequest
  reply: FastifyReply
  state: ClaimState
  /** The id of this server. */
  server: string
}

/**
 * Finds the response of a claim, or makes and stores it in one transaction. `isOwn`: the request has begun before, and its
 * response takes the place that it has stored then. 409 for a request that has begun without a response yet.
 */
async function findOrStore({ claim, request, state }: Once, make: () => Promise<StoredResponse>, isOwn: boolean) {
  const { scope } = request
  try {
    return await scope.transaction(async (tx) => {
      state.written = false
      const stored = await lookUp(tx, claim, state.failed)
      if (stored && !isOwn) return { response: stored, replayed: true }
      request.scope = tx
      const response = await make()
      const storing = { seconds: STORED_S[claim.kind], replace: isOwn || claim.kind !== 'key' }
      await storeResponse(tx, claim.id, serializeResponse(response), storing)
      state.written = true
      return { response, replayed: false }
    })
  } finally {
    request.scope = scope
  }
}

/** The payload of a stored response, sent again. 422 where the key came with another request, 409 without a response yet. */
async function replay(once: Once, response: StoredResponse): Promise<unknown> {
  const { claim, reply } = once
  const { fingerprint, begun, server, status, headers } = response.head
  if (fingerprint !== claim.fingerprint) throw reused()
  if (begun) throw await unfinished(once, begun, server)
  reply.code(status).headers(headers).header('idempotent-replayed', 'true')
  return payloadOf(response)
}

/**
 * Runs a handler in one transaction with the storing of its response, or finds the stored response. Returns the payload.
 * 409 while another request with the key runs; 422 where the key came with a different request.
 */
export async function runOnce(once: Once, handler: () => unknown, isOwn = false): Promise<unknown> {
  const { claim, reply } = once
  const ownHeaders = new Set(Object.keys(reply.getHeaders()))
  const make = () => recordResponse(handler, claim.fingerprint, reply, ownHeaders)
  const { response, replayed } = await findOrStore(once, make, isOwn)
  return replayed ? replay(once, response) : payloadOf(response)
}

/**
 * Runs both phases of a handler whose first one has effects elsewhere, as `runOnce`: the claim is stored before, so that no
 * repeated request does the work again. An error of the first phase takes the claim back.
 */
export async function runClaimed(once: Once, begin: () => Promise<() => unknown>): Promise<unknown> {
  const { claim, request, state, server } = once
  const begun = async () => begunAt(new Date(), claim.fingerprint, server)
  const { response, replayed } = await findOrStore(once, begun, false)
  if (replayed) return replay(once, response)
  state.written = false
  const handler = await begin().catch(async (error) => {
    await forgetResponse(request.scope, claim.id).catch(() => {})
    throw error
  })
  return runOnce(once, handler, true)
}
