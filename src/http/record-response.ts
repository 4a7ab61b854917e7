import type { FastifyReply } from 'fastify'
import { COMPOSED, NEXT, type PageOf, VERSION, type Versioned } from '../db/marks.ts'
import { Rendered } from '../db/render/rendered.ts'
import { jsonText } from './outgoing.ts'
import type { StoredResponse } from './stored-response.ts'

/** Runs a handler and records its response. `ownHeaders`: names of headers that every response gets, not recorded. */
export async function recordResponse(
  handler: () => unknown,
  fingerprint: string,
  reply: FastifyReply,
  ownHeaders: ReadonlySet<string>,
): Promise<StoredResponse> {
  const payload = await handler()
  if (reply.sent) throw new Error('A handler must return its payload: reply.send() would send it before the commit.')
  const { [VERSION]: version, [COMPOSED]: composed, [NEXT]: next } = Object(payload) as PageOf<unknown> & Versioned
  const headers = Object.entries(reply.getHeaders()).filter(([name]) => !ownHeaders.has(name)) as [string, string][]
  return {
    head: {
      fingerprint,
      status: reply.statusCode,
      written: payload instanceof Rendered,
      headers: Object.fromEntries(headers),
      version,
      composed,
      next,
    },
    body: payload === undefined ? undefined : jsonText(payload),
  }
}
