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

/** The requests of this server to which it responded in the last minute, and those that failed last. */
export interface RecentRequests {
  add(status: number): void
  fail(failure: Failure): void
  report(): { last_minute: { requests: number; refused: number; failed: number }; last_failures: Failure[] }
}

const SECONDS = 60
const MAX_FAILURES = 50
const MAX_ERROR = 500

/** Counts the requests of each second of the last minute, and remembers the last 50 failures. */
export function createRecentRequests(now: () => number = Date.now): RecentRequests {
  const seconds = Array.from({ length: SECONDS }, () => ({ second: 0, requests: 0, refused: 0, failed: 0 }))
  const failures: Failure[] = []
  const current = () => Math.floor(now() / 1000)
  return {
    add(status) {
      const second = current()
      const counts = seconds[second % SECONDS]!
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
      const counted = seconds.filter(({ second }) => second > current() - SECONDS)
      const sum = (name: 'requests' | 'refused' | 'failed') => counted.reduce((total, one) => total + one[name], 0)
      return {
        last_minute: { requests: sum('requests'), refused: sum('refused'), failed: sum('failed') },
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
