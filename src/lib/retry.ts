import { setTimeout as wait } from 'node:timers/promises'

/** Pauses between attempts, in milliseconds: growing, so that an overloaded server recovers. */
const PAUSES_MS = [500, 1_000, 2_000]

/** The longest pause. Beyond it, background work is retried later. */
const LONGEST_MS = 20_000

/** A failed call: whether it may succeed later, and the headers of its response. */
export interface Failure {
  passing: boolean
  headers?: Record<string, string> | undefined
}

/** The pause that a response requests, in milliseconds: `Retry-After` in seconds or as a date (RFC 9110), or `retry-after-ms`. */
function requestedPause(headers: Record<string, string> = {}): number | undefined {
  const { 'retry-after-ms': exact, 'retry-after': after } = headers
  if (exact !== undefined && Number(exact) >= 0) return Number(exact)
  if (after === undefined) return undefined
  if (Number(after) >= 0) return Number(after) * 1_000
  const date = Date.parse(after)
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now())
}

/** Runs `work`, and again after failures that may pass: once for each pause. A response's own pause wins. */
export async function withRetries<T>(
  work: () => Promise<T>,
  failureOf: (error: unknown) => Failure,
  signal?: AbortSignal,
  pauses: readonly number[] = PAUSES_MS,
): Promise<T> {
  for (let tried = 0; ; tried++) {
    try {
      return await work()
    } catch (error) {
      const pause = pauses[tried]
      const { passing, headers } = failureOf(error)
      if (pause === undefined || !passing || signal?.aborted) throw error
      // Random, so that callers that failed together don't return together.
      const delay = requestedPause(headers) ?? pause * (0.75 + Math.random() / 2)
      if (delay > LONGEST_MS) throw error
      await wait(delay, undefined, signal ? { signal } : {})
    }
  }
}
