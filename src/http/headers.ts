import { hash } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { COMPOSED, NEXT, type PageOf, VERSION, type Versioned } from '../db/marks.ts'
import { prefixOf } from './letta.ts'
import { streamedLength } from './outgoing.ts'

/** The URL of a list's next page. */
function nextUrl(url: string, cursor: { after?: string; before?: string }): string {
  const [path, ...search] = url.split('?')
  const query = new URLSearchParams(search.join('?'))
  for (const [name, value] of Object.entries(cursor)) query.set(name, value)
  return `${path}?${query}`
}

/** Whether an `If-None-Match` header names this ETag (weak comparison, RFC 9110 §13.1.2). */
const names = (header: string, etag: string) =>
  header.trim() === '*' || header.split(',').some((candidate) => candidate.trim().replace(/^W\//, '') === etag)

/**
 * Sets `ETag` on single resources and `Link` on lists, and responds with 304 when the caller has the current ETag.
 * The ETag is the version; where the response holds more than the versioned row, a hash of the body follows, and the query
 * of a GET that returns the same body: `addIfMatch` compares the two.
 */
export function addHeaders(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id)
    done()
  })
  app.addHook('preSerialization', (request, reply, payload: unknown, done) => {
    const length = streamedLength(payload)
    if (length !== undefined) reply.header('content-length', length)
    if (payload !== null && typeof payload === 'object') {
      const next = (payload as PageOf<unknown>)[NEXT]
      if (next)
        reply.header('link', `<${nextUrl(request.publicPath + prefixOf(request) + request.url, next)}>; rel="next"`)
      reply.versioned = (payload as Versioned)[VERSION] === undefined ? undefined : (payload as Versioned)
    }
    done(null, payload)
  })
  app.addHook('onSend', (request: FastifyRequest, reply: FastifyReply, payload: unknown, done) => {
    const { versioned } = reply
    if (!versioned || reply.statusCode !== 200) return done(null, payload)
    const { [VERSION]: version, [COMPOSED]: query } = versioned
    const body = query === undefined ? '' : `.${hash('sha1', payload as Buffer, 'base64url')}`
    const etag = `"${version}${body}${query ? `?${query}` : ''}"`
    reply.header('etag', etag)
    const known = request.headers['if-none-match']
    if (known === undefined || !['GET', 'HEAD'].includes(request.method) || !names(known, etag)) {
      return done(null, payload)
    }
    reply.code(304)
    done(null, '')
  })
}

declare module 'fastify' {
  interface FastifyReply {
    versioned?: Versioned | undefined
  }
}
