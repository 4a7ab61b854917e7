import type { FastifyInstance } from 'fastify'
import { ApiError } from '../lib/errors.ts'

const utf8 = new TextDecoder('utf-8', { fatal: true })

const malformed = (detail: string) => new ApiError('malformed_json', detail)

/**
 * Parses JSON bodies strictly: invalid UTF-8 is a 400, and `__proto__` is a key like any other. An empty body counts as
 * absent, whatever type it claims: axios names one for every PATCH.
 */
export function addJsonParser(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => {
    if (request.headers['content-length'] === '0') delete request.headers['content-type']
    done()
  })
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    const charset = /;\s*charset="?([^";\s]+)/i.exec(request.headers['content-type'] ?? '')?.[1] ?? 'utf-8'
    const encoding = request.headers['content-encoding'] ?? 'identity'
    if (!/^utf-?8$/i.test(charset) || encoding.toLowerCase() !== 'identity') {
      return done(new ApiError('unsupported_media_type', 'Send the body as application/json in UTF-8, not compressed.'))
    }
    if (body.length === 0) return done(null, undefined)
    let text: string
    try {
      text = utf8.decode(body as Buffer)
    } catch {
      return done(malformed('The body is not valid UTF-8.'))
    }
    try {
      done(null, JSON.parse(text))
    } catch {
      done(malformed('The body is not valid JSON.'))
    }
  })
}
