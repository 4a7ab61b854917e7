const REMEMBERED_MS = 5 * 60_000
const MAX_REMEMBERED = 10_000

/** How many requests failed lately, by what is the same in them when they are sent again. */
export interface RecentFailures {
  add(what: string): void
  /** Takes one away; false when there is none. */
  take(what: string): boolean
}

/** Remembers failures for five minutes: ten thousand kinds at most, the oldest going first. */
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
