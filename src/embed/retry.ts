import { setTimeout as wait } from 'node:timers/promises'

/** Pauses before asking again, in milliseconds: growing, so that what is overloaded recovers. */
const PAUSES_MS = [500, 1_000, 2_000]

/** Nobody waits longer than that for one answer: background work is done again later. */
const LONGEST_MS = 20_000

/** What a failed call says of calling again. */
export interface Failure {
  passing: boolean
  headers?: Record<string, string> | undefined
}

/** How long an answer asks to wait: `Retry-After` in seconds or as a date (RFC 9110), or `retry-after-ms`. */
function askedToWait(headers: Record<string, string> = {}): number | undefined {
  const { 'retry-after-ms': exact, 'retry-after': after } = headers
  if (exact !== undefined && Number(exact) >= 0) return Number(exact)
  if (after === undefined) return undefined
  if (Number(after) >= 0) return Number(after) * 1_000
  const date = Date.parse(after)
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now())
}

/** Runs `work` again after failures that may pass, as often and as late as its answers allow. */
export async function retrying<T>(
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
      // Somewhat different for everybody, so that those who failed together don't come back together.
      const delay = askedToWait(headers) ?? pause * (0.75 + Math.random() / 2)
      if (delay > LONGEST_MS) throw error
      await wait(delay, undefined, signal ? { signal } : {})
    }
  }
}
