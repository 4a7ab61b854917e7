const REMEMBERED_MS = 5 * 60_000
const MAX_REMEMBERED = 10_000

/** Counts of requests that failed lately, by a hash that a request and its retry share. */
export interface RecentFailures {
  add(what: string): void
  /** Removes one failure; false where there is none. */
  take(what: string): boolean
}

/** Counts failures for five minutes, of 10,000 hashes at most: the oldest are dropped first. */
export function createRecentFailures(now: () => number = Date.now): RecentFailures {
  const failures = new Map<string, { count: number; until: number }>()
  const countOf = (what: string) => {
    const known = failures.get(what)
    return known && known.until > now() ? known.count : 0
  }
  return {
    add(what) {
      const count = countOf(what) + 1
      failures.delete(what)
      const [oldest] = failures.size < MAX_REMEMBERED ? [] : failures.keys()
      if (oldest !== undefined) failures.delete(oldest)
      failures.set(what, { count, until: now() + REMEMBERED_MS })
    },
    take(what) {
      const left = countOf(what) - 1
      if (left > 0) failures.get(what)!.count = left
      else failures.delete(what)
      return left >= 0
    },
  }
}
