import { createHash } from 'node:crypto'
import rateLimit, { type CreateRateLimitOptions } from '@fastify/rate-limit'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../lib/errors.ts'
import { apiKeyOf } from './api-key.ts'

const WINDOW_MS = 60_000
/** The number of counted keys and addresses, at most; the least recent is dropped first. */
const MAX_COUNTED = 10_000

/** The rate limits of a key, checked at three points of a request. Each check throws a 429 with `Retry-After`. */
export interface RateLimits {
  /** Refuses unproven keys from addresses that have sent too many wrong keys. */
  beforeKey(request: FastifyRequest, key: string | undefined): Promise<void>
  /** Counts a wrong key for the caller's address. */
  wrongKey(request: FastifyRequest): Promise<unknown>
  /** Counts a request of a valid key, and reports the remaining requests in headers. */
  rightKey(request: FastifyRequest, reply: FastifyReply, key: string): Promise<void>
}

interface Count {
  isAllowed: false
  isExceeded: boolean
  max: number
  remaining: number
  ttlInSeconds: number
}

/**
 * The headers of draft-ietf-httpapi-ratelimit-headers-06, which clients read: the last draft with one header for each
 * number. Later drafts have one structured field.
 */
const headersOf = ({ max, remaining, ttlInSeconds }: Count) => ({
  'ratelimit-limit': `${max}`,
  'ratelimit-remaining': `${remaining}`,
  'ratelimit-reset': `${ttlInSeconds}`,
})

const tooMany = (count: Count, detail: string) =>
  new ApiError('too_many_requests', `${detail} Try again in ${count.ttlInSeconds} seconds.`, {
    headers: { ...headersOf(count), 'retry-after': `${count.ttlInSeconds}` },
  })

const hashOf = (key: string) => createHash('sha256').update(key).digest('base64url')

/**
 * Limits the requests of each key to `perMinute` in this process, counted in windows of a minute from the first request,
 * and the wrong keys of each address (of an IPv6 address, its /64) to the same number.
 */
export async function createRateLimits(app: FastifyInstance, perMinute: number): Promise<RateLimits> {
  const options = { max: perMinute, timeWindow: WINDOW_MS, cache: MAX_COUNTED }
  await app.register(rateLimit, { ...options, global: false })
  const limiter = (own: CreateRateLimitOptions) => {
    const limit = app.createRateLimit({ ...options, ...own })
    return async (request: FastifyRequest, options?: { increment: boolean }): Promise<Count> => {
      const count = await limit(request, options)
      // Only keys and addresses of an allow list go uncounted.
      if (count.isAllowed) throw new Error('There is no allow list.')
      return count
    }
  }
  const countKey = limiter({ keyGenerator: (request) => hashOf(apiKeyOf(request)!) })
  const countAddress = limiter({})
  const proven = new Set<string>()

  return {
    async beforeKey(request, key) {
      if (key === undefined || proven.has(hashOf(key))) return
      const count = await countAddress(request, { increment: false })
      if (count.remaining === 0) throw tooMany(count, 'Too many wrong API keys came from this address.')
    },
    wrongKey: (request) => countAddress(request),
    async rightKey(request, reply, key) {
      const count = await countKey(request)
      if (count.isExceeded) throw tooMany(count, `This key has used its ${perMinute} requests of this minute.`)
      reply.headers(headersOf(count))
      if (proven.size >= MAX_COUNTED) proven.clear()
      proven.add(hashOf(key))
    },
  }
}
