import { COMPOSED, NEXT, type PageOf, VERSION, type Versioned } from '../db/marks.ts'
import { Rendered } from '../db/render/rendered.ts'

/** A response that is sent again to a repeated request. */
export interface StoredResponse {
  head: {
    /** The fingerprint of the request's claim. */
    fingerprint: string
    status: number
    /** Whether the database has rendered the body: it then has the caller's names. */
    written: boolean
    headers: Record<string, string>
    version?: number | undefined
    composed?: string | undefined
    next?: { after?: string; before?: string } | undefined
    /** Of a request without a response yet: when it began. */
    begun?: string | undefined
    /** The server that carries it out. */
    server?: string | undefined
  }
  body: string | undefined
}

/** The place of a response whose request begins now. */
export const begunAt = (now: Date, fingerprint: string, server: string): StoredResponse => ({
  head: { fingerprint, status: 102, written: false, headers: {}, begun: now.toISOString(), server },
  body: undefined,
})

/** A response as text: the head as JSON, a line feed, the body. */
export const serializeResponse = ({ head, body }: StoredResponse) =>
  JSON.stringify(head) + (body === undefined ? '' : `\n${body}`)

/** The inverse of `serializeResponse`. */
export function parseResponse(text: string): StoredResponse {
  const end = text.indexOf('\n')
  if (end < 0) return { head: JSON.parse(text), body: undefined }
  return { head: JSON.parse(text.slice(0, end)), body: text.slice(end + 1) }
}

/** The payload of a recorded response, with the marks that `addHeaders` turns into `ETag` and `Link`. */
export function payloadOf({ head, body }: StoredResponse): unknown {
  if (body === undefined) return undefined
  const marks: Versioned & Pick<PageOf<unknown>, typeof NEXT> = {}
  if (head.version !== undefined) marks[VERSION] = head.version
  if (head.composed !== undefined) marks[COMPOSED] = head.composed
  if (head.next) marks[NEXT] = head.next
  const payload: unknown = head.written ? new Rendered([body]) : JSON.parse(body)
  return payload !== null && typeof payload === 'object' ? Object.assign(payload, marks) : payload
}
