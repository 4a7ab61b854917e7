import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ApiError } from '../lib/errors.ts'
import { isLetta, LETTA_PREFIX } from './letta.ts'

/** An ETag of `addHeaders`: version, hash, query. */
const ETAG = /(?<weak>W\/)?"(?<version>\d+)(?:\.[\w-]+(?:\?(?<query>[^"]*))?)?"/g

/** The number of representations that one `If-Match` header may name; a header of a client names one. */
const MAX_REPRESENTATIONS = 4

/** The path of the resource that a change concerns: the longest part of the request's path that can be read. */
function resourcePath({ routeOptions, url }: FastifyRequest, readable: ReadonlySet<string>): string {
  const route = routeOptions.url!.split('/')
  const length = route.findLastIndex((_, index) => readable.has(route.slice(0, index + 1).join('/'))) + 1
  return url.split('?')[0]!.split('/').slice(0, length).join('/')
}

/** The ETag of the response to a GET by the caller of `request`; undefined where there is none. 429 and 503. */
async function currentEtag(request: FastifyRequest, url: string): Promise<string | undefined> {
  const { server, socket, id } = request
  const { 'if-match': _, 'content-length': __, 'content-type': ___, expect: ____, ...headers } = request.headers
  const { remoteAddress } = socket
  const response = await server.inject({
    // An absent User-Agent is named, or one would be added.
    ...{ method: 'GET', url, headers: { ...headers, 'user-agent': headers['user-agent'], 'x-request-id': id } },
    ...(remoteAddress !== undefined && { remoteAddress }),
  })
  const { statusCode, headers: sent } = response
  if (statusCode !== 429 && statusCode < 500) return sent.etag
  const retry = sent['retry-after'] === undefined ? {} : { 'retry-after': String(sent['retry-after']) }
  const code = statusCode === 429 ? 'too_many_requests' : 'unavailable'
  throw new ApiError(code, 'The resource could not be compared with If-Match.', { headers: retry })
}

/**
 * Reads `If-Match` headers: the returned function resolves to the versions that a header accepts, and to undefined for a
 * header that accepts any version, and without one. An ETag with a hash covers more than the versioned row: the resource is
 * read again, and the version counts only if the whole ETag is still current. The row is compared once more by the change
 * itself; a resource that the row refers to may change in between, but this change doesn't write to it. `resource` is the path
 * of the changed resource where the path of the request doesn't name it.
 */
export function addIfMatch(app: FastifyInstance) {
  const readable = new Set<string>()
  app.addHook('onRoute', (route) => {
    // A response with an ETag may be a 304.
    if (Object.hasOwn(route.schema?.response ?? {}, 304)) readable.add(route.url)
  })
  return async (request: FastifyRequest, resource?: string): Promise<number[] | undefined> => {
    const header = request.headers['if-match']
    if (header === undefined || header.trim() === '*' || ['GET', 'HEAD', 'POST'].includes(request.method)) {
      return undefined
    }
    const named = [...header.matchAll(ETAG)].filter(({ groups }) => !groups!.weak)
    const composed = named.filter(([etag]) => etag.includes('.'))
    const path = resource ?? resourcePath(request, readable)
    const surface = isLetta(request) ? LETTA_PREFIX : ''
    const queries = new Set(path ? composed.map(({ groups }) => groups!.query ?? '') : [])
    const current = new Set<string | undefined>()
    for (const query of [...queries].slice(0, MAX_REPRESENTATIONS)) {
      current.add(await currentEtag(request, `${surface}${path}?${query}`))
    }
    return named
      .filter((match) => !composed.includes(match) || current.has(match[0]))
      .map(({ groups }) => Number(groups!.version))
  }
}
