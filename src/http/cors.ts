import cors from '@fastify/cors'
import type { FastifyInstance, FastifyRequest } from 'fastify'

/** The response headers that a page may read. */
const EXPOSED = [
  'ETag',
  'Link',
  'X-Request-Id',
  'Retry-After',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'Idempotent-Replayed',
  'X-Should-Retry',
  'X-Upload-Result',
  'Warning',
]

const PREFLIGHT_CACHED_S = 600

/** Whether a request is a CORS preflight (Fetch standard). Any other OPTIONS request is a 405. */
const isPreflight = ({ method, headers }: FastifyRequest) =>
  method === 'OPTIONS' && headers.origin !== undefined && headers['access-control-request-method'] !== undefined

/**
 * Allows web pages of these origins (`*`: any origin) to call the API. Preflights need no API key. Keys come in a header
 * that the page sets, never in a cookie, so CORS credentials stay off.
 */
export async function addCors(app: FastifyInstance, origins: readonly string[]): Promise<void> {
  const settings = {
    origin: origins.includes('*') ? '*' : [...origins],
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    exposedHeaders: EXPOSED,
    maxAge: PREFLIGHT_CACHED_S,
  }
  await app.register(cors, {
    delegator: (request, done) => done(null, { ...settings, preflight: isPreflight(request) }),
  })
}
