import { createHash } from 'node:crypto'
import rateLimit, { type CreateRateLimitOptions } from '@fastify/rate-limit'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../lib/errors.ts'
import { apiKeyOf } from './api-key.ts'

const WINDOW_MS = 60_000
/** Keys and addresses that are counted at most; the least recently seen go first. */
const MAX_COUNTED = 10_000

/** The rate limits of a key, checked at three moments of a request. Each check throws a 429 with `Retry-After`. */
export interface RateLimits {
  /** Refuses keys not seen to be good from addresses that have sent too many wrong ones. */
  beforeKey(request: FastifyRequest, key: string | undefined): Promise<void>
  /** Counts a wrong key for the address it came from. */
  wrongKey(request: FastifyRequest): Promise<unknown>
  /** Counts a request of a good key, and reports the requests left in headers. */
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
 * The fields of draft-ietf-httpapi-ratelimit-headers-06, the last one with a field for each number: those that clients
 * read. Later drafts put them into one structured field.
 */
const fieldsOf = ({ max, remaining, ttlInSeconds }: Count) => ({
  'ratelimit-limit': `${max}`,
  'ratelimit-remaining': `${remaining}`,
  'ratelimit-reset': `${ttlInSeconds}`,
})

const tooMany = (count: Count, detail: string) =>
  new ApiError('too_many_requests', `${detail} Try again in ${count.ttlInSeconds} seconds.`, {
    headers: { ...fieldsOf(count), 'retry-after': `${count.ttlInSeconds}` },
  })

const hashOf = (key: string) => createHash('sha256').update(key).digest('base64url')

/**
 * Counts the requests of each key in this process, `perMinute` of them in any minute that begins with the first, and as
 * many wrong keys from each address (of an IPv6 address, its /64).
 */
export async function createRateLimits(app: FastifyInstance, perMinute: number): Promise<RateLimits> {
  const options = { max: perMinute, timeWindow: WINDOW_MS, cache: MAX_COUNTED }
  await app.register(rateLimit, { ...options, global: false })
  const limiter = (own: CreateRateLimitOptions) => {
    const limit = app.createRateLimit({ ...options, ...own })
    return async (request: FastifyRequest, how?: { increment: boolean }): Promise<Count> => {
      const count = await limit(request, how)
      // Keys and addresses of an allow list alone are let pass uncounted.
      if (count.isAllowed) throw new Error('There is no allow list.')
      return count
    }
  }
  const countKey = limiter({ keyGenerator: (request) => hashOf(apiKeyOf(request)!) })
  const countAddress = limiter({})
  const good = new Set<string>()

  return {
    async beforeKey(request, key) {
      if (key === undefined || good.has(hashOf(key))) return
      const count = await countAddress(request, { increment: false })
      if (count.remaining === 0) throw tooMany(count, 'Too many wrong API keys came from this address.')
    },
    wrongKey: (request) => countAddress(request),
    async rightKey(request, reply, key) {
      const count = await countKey(request)
      if (count.isExceeded) throw tooMany(count, `This key has used its ${perMinute} requests of this minute.`)
      reply.headers(fieldsOf(count))
      if (good.size >= MAX_COUNTED) good.clear()
      good.add(hashOf(key))
    },
  }
}
