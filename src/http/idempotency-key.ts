import { createHmac } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { invalid } from '../lib/errors.ts'
import { apiKeyOf } from './api-key.ts'
import { namesOf } from './letta.ts'

/** The identity of a request that may be repeated. */
export interface Claim {
  /** Requests with the same id run once, and get the same response. */
  id: string
  /** A hash of query, condition and body: another fingerprint under the same id is a 422. */
  fingerprint: string
  /**
   * `key`: the caller sent an Idempotency-Key. `first` and `again`: the first attempt of an SDK, and its retry, which is
   * the same request. A second `first` with the same id is a request of its own.
   */
  kind: 'key' | 'first' | 'again'
}

/** Printable ASCII, as in a string of structured fields (RFC 9651 §3.3.3); with or without the quotes. */
export const KEY_PATTERN = '^(?:"([ !#-~]{1,255})"|([!#-~][ -~]{0,254}))$'

const KEY = new RegExp(KEY_PATTERN)

/** A hash keyed with the caller's API key, which is stored nowhere: without the key it reveals nothing of its input. */
const hash = (apiKey: string, ...parts: unknown[]) =>
  createHmac('sha256', apiKey).update(JSON.stringify(parts)).digest('base64url')

/** The key in a header, which the route's schema has checked. */
function keyIn(header: string | string[]): string | undefined {
  const [, quoted, bare] = KEY.exec(String(header)) ?? []
  return quoted ?? bare
}

/** 422: the key came with a different request before. */
export const reused = () =>
  invalid({
    in: 'header',
    field: 'idempotency-key',
    message: 'was sent with another request before: a new request needs a new key',
  })

/** The number of an SDK's earlier attempts; undefined for other callers, and for a request with an Idempotency-Key. */
export function retriesOf({ headers }: FastifyRequest): number | undefined {
  const count = headers['x-stainless-retry-count']
  if (headers['idempotency-key'] !== undefined || typeof count !== 'string' || !/^\d{1,3}$/.test(count))
    return undefined
  return Number(count)
}

/** A hash of a request before its body is read. An SDK's request and its retry have equal hashes. */
export const preBodyHash = (request: FastifyRequest) =>
  hash(apiKeyOf(request) ?? '', request.method, request.url, request.headers['content-length'] ?? '')

/**
 * The claim of a request; undefined for a request without one, which simply runs.
 * An Idempotency-Key counts for one API key, method and path (draft-ietf-httpapi-idempotency-key-header).
 */
export function claimOf(request: FastifyRequest): Claim | undefined {
  const { headers, method, body } = request
  const header = headers['idempotency-key']
  const retries = retriesOf(request)
  if (header === undefined && retries === undefined) return undefined
  // A request that only reads may run again. In a transaction, it would hold a connection.
  if (request.routeOptions.config.right === 'read') return undefined
  const apiKey = apiKeyOf(request)!
  const [path, ...search] = request.url.split('?')
  const target = [method, namesOf(request), path!.replace(/\/+$/, '')]
  const content = [search.join('?'), headers['if-match'] ?? null, body ?? null]
  if (header === undefined) {
    const id = hash(apiKey, ...target, ...content)
    return { id, fingerprint: id, kind: retries === 0 ? 'first' : 'again' }
  }
  return { id: hash(apiKey, ...target, keyIn(header)), fingerprint: hash(apiKey, ...content), kind: 'key' }
}
