import type { ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { addTurns } from './connection-turns.ts'

/** The bounds of the responses that wait in memory for their readers. */
export interface WaitingBounds {
  /** The length of all of them, in bytes. */
  maxBytes: number
  /** The time that a response may take to be read when all are too long together, in milliseconds. */
  graceMs: number
}

const BOUNDS: WaitingBounds = { maxBytes: 64 << 20, graceMs: 5_000 }

/** Shorter responses fit the buffers of a connection. */
const MIN_BYTES = 64 << 10

/** Ends the connections that have been reading their responses for the longest when the bounds are exceeded. */
function addWaitingBounds(app: FastifyInstance, { maxBytes, graceMs }: WaitingBounds): void {
  /** The waiting responses, the oldest first. */
  const waiting = new Map<ServerResponse, { bytes: number; since: number }>()
  let total = 0
  const forget = (response: ServerResponse) => {
    total -= waiting.get(response)?.bytes ?? 0
    waiting.delete(response)
  }
  app.addHook('onSend', (_request, reply, payload, done) => {
    const { raw } = reply
    const bytes = Buffer.isBuffer(payload) ? payload.length : Number(reply.getHeader('content-length') ?? 0)
    if (bytes < MIN_BYTES || raw.closed) return done(null, payload)
    const now = performance.now()
    waiting.set(raw, { bytes, since: now })
    total += bytes
    raw.once('close', () => forget(raw))
    for (const [oldest, { since }] of waiting) {
      if (total <= maxBytes || now - since < graceMs || oldest === raw) break
      forget(oldest)
      oldest.destroy()
    }
    done(null, payload)
  })
}

/**
 * Bounds what waits in memory for callers that read slowly: one response for each connection, and 64 MB in all, beyond which
 * the connections that have been reading for the longest end, if for more than five seconds.
 */
export function addSlowReaders(app: FastifyInstance, bounds: WaitingBounds = BOUNDS): void {
  addTurns(app)
  addWaitingBounds(app, bounds)
}
