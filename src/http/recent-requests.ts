import type { FastifyInstance } from 'fastify'

/** A request that failed for a fault of the server. */
interface Failure {
  at: string
  request_id: string
  organization_id?: string
  method: string
  route?: string
  status: number
  error: string
}

interface Counts {
  requests: number
  refused: number
  failed: number
}

/** The requests of this server to which it responded in the last hour, and those that failed last. */
export interface RecentRequests {
  add(status: number): void
  fail(failure: Failure): void
  report(): { last_minute: Counts; last_hour: (Counts & { at: string })[]; last_failures: Failure[] }
}

const MINUTE = 60
const HOUR = 60 * MINUTE
const MAX_FAILURES = 50
const MAX_ERROR = 500

/** Counts the requests of each second of the last hour, and remembers the last 50 failures. */
export function createRecentRequests(now: () => number = Date.now): RecentRequests {
  const seconds = Array.from({ length: HOUR }, () => ({ second: 0, requests: 0, refused: 0, failed: 0 }))
  const failures: Failure[] = []
  const current = () => Math.floor(now() / 1000)
  /** The requests of one minute, which begins with a second. */
  function minuteFrom(start: number): Counts {
    const total = { requests: 0, refused: 0, failed: 0 }
    for (let at = start; at < start + MINUTE; at++) {
      const { second, requests, refused, failed } = seconds[at % HOUR]!
      if (second !== at) continue
      total.requests += requests
      total.refused += refused
      total.failed += failed
    }
    return total
  }
  return {
    add(status) {
      const second = current()
      const counts = seconds[second % HOUR]!
      if (counts.second !== second) Object.assign(counts, { second, requests: 0, refused: 0, failed: 0 })
      counts.requests++
      if (status >= 500) counts.failed++
      else if (status >= 400) counts.refused++
    },
    fail(failure) {
      failures.unshift(failure)
      failures.splice(MAX_FAILURES)
    },
    report() {
      const second = current()
      const oldest = second - (second % MINUTE) - HOUR + MINUTE
      const starts = Array.from({ length: HOUR / MINUTE }, (_, n) => oldest + n * MINUTE)
      return {
        last_minute: minuteFrom(second - MINUTE + 1),
        last_hour: starts.map((start) => ({ at: new Date(start * 1000).toISOString(), ...minuteFrom(start) })),
        last_failures: [...failures],
      }
    },
  }
}

/** Counts each request at its response, and remembers the failed ones with their errors. */
export function addRecentRequests(app: FastifyInstance, recent: RecentRequests): void {
  app.addHook('onResponse', (request, { statusCode: status }, done) => {
    recent.add(status)
    const { organizationId, failure, routeOptions } = request
    if (failure !== undefined) {
      recent.fail({
        at: new Date().toISOString(),
        request_id: request.id,
        ...(organizationId !== undefined && { organization_id: organizationId }),
        method: request.method,
        ...(routeOptions.url !== undefined && { route: routeOptions.url }),
        status,
        error: failure.slice(0, MAX_ERROR),
      })
    }
    done()
  })
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The error that the server has logged for this request. */
    failure?: string
  }
}
