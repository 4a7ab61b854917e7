import type { FastifyReply, FastifyRequest } from 'fastify'
import { awaitResponse, claimResponse, joinResponse, storeResponse } from '../db/idempotency-store.ts'
import type { Scope } from '../db/scope.ts'
import { inProgress } from '../lib/errors.ts'
import { type Claim, reused } from './idempotency-key.ts'
import { recordResponse } from './record-response.ts'
import { parseResponse, payloadOf, serializeResponse } from './stored-response.ts'

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

/** The response stored for a claim, if there is one. The transaction owns the claim until it ends. 409. */
async function lookUp(scope: Scope, { id, kind }: Claim, failed: boolean): Promise<string | undefined> {
  if (kind === 'first') {
    await joinResponse(scope, id)
    return undefined
  }
  if (kind === 'again') {
    const stored = await awaitResponse(scope, id)
    // The first attempt has failed, so a stored response belongs to an equal request before it.
    return failed ? undefined : stored
  }
  const { response, taken } = await claimResponse(scope, id)
  if (taken) throw keyInUse()
  return response
}

/**
 * Runs a handler in one transaction with the storing of its response, or finds the stored response. Returns the payload.
 * 409 while another request with the key runs; 422 where the key came with a different request.
 */
export async function runOnce(
  claim: Claim,
  request: FastifyRequest,
  reply: FastifyReply,
  handler: () => unknown,
  state: ClaimState,
): Promise<unknown> {
  const { scope } = request
  const ownHeaders = new Set(Object.keys(reply.getHeaders()))
  try {
    const { response, replayed } = await scope.transaction(async (tx) => {
      state.written = false
      const stored = await lookUp(tx, claim, state.failed)
      if (stored !== undefined) return { response: parseResponse(stored), replayed: true }
      request.scope = tx
      const response = await recordResponse(handler, claim.fingerprint, reply, ownHeaders)
      const storing = { seconds: STORED_S[claim.kind], replace: claim.kind !== 'key' }
      await storeResponse(tx, claim.id, serializeResponse(response), storing)
      state.written = true
      return { response, replayed: false }
    })
    const { head } = response
    if (replayed) {
      if (head.fingerprint !== claim.fingerprint) throw reused()
      reply.code(head.status).headers(head.headers).header('idempotent-replayed', 'true')
    }
    return payloadOf(response)
  } finally {
    request.scope = scope
  }
}
