const COUNTED_MS = 5 * 60_000
const MAX_COUNTED = 10_000

/** Counts of recent failed requests, by a hash that a request and its retry share. */
export interface RecentFailures {
  add(hash: string): void
  /** Removes one failure; false where there is none. */
  take(hash: string): boolean
}

/** Counts failures for five minutes, of 10,000 hashes at most: the oldest are dropped first. */
export function createRecentFailures(now: () => number = Date.now): RecentFailures {
  const failures = new Map<string, { count: number; until: number }>()
  const countOf = (hash: string) => {
    const known = failures.get(hash)
    return known && known.until > now() ? known.count : 0
  }
  return {
    add(hash) {
      const count = countOf(hash) + 1
      failures.delete(hash)
      const [oldest] = failures.size < MAX_COUNTED ? [] : failures.keys()
      if (oldest !== undefined) failures.delete(oldest)
      failures.set(hash, { count, until: now() + COUNTED_MS })
    },
    take(hash) {
      const left = countOf(hash) - 1
      if (left > 0) failures.get(hash)!.count = left
      else failures.delete(hash)
      return left >= 0
    },
  }
}
