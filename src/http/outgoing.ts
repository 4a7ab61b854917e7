import { Readable } from 'node:stream'
import { Rendered } from '../db/render/rendered.ts'

/** A body longer than this many bytes is streamed: in one piece, a slow reader would hold all of it in memory. */
const MAX_UNSTREAMED = 1 << 20

/** The size of a chunk of a streamed body, in bytes. */
const CHUNK_BYTES = 1 << 18

/** The length of JSON text in bytes. */
const byteLength = (segments: readonly string[]) =>
  segments.reduce((sum, segment) => sum + Buffer.byteLength(segment), 0)

/** The bytes of segments, which are as long as `length`. Joining the segments first would copy them once more. */
function encode(segments: readonly string[], length: number): Buffer {
  const bytes = Buffer.allocUnsafeSlow(length)
  let at = 0
  for (const segment of segments) at += bytes.write(segment, at)
  return bytes
}

/** The bytes of segments, in chunks: each is encoded when the reader has taken the one before. */
function* chunksOf(segments: readonly string[]): Generator<Buffer> {
  let pending: string[] = []
  let length = 0
  for (const segment of segments) {
    pending.push(segment)
    length += Buffer.byteLength(segment)
    if (length < CHUNK_BYTES) continue
    yield encode(pending, length)
    pending = []
    length = 0
  }
  if (length > 0) yield encode(pending, length)
}

/** The length of a rendered body in bytes, when the body is long enough to be streamed; otherwise undefined. */
export function streamedLength(payload: unknown): number | undefined {
  // Few bytes need no count: a character takes at most three.
  if (!(payload instanceof Rendered) || 3 * payload.characters < MAX_UNSTREAMED) return undefined
  const length = byteLength(payload.segments)
  return length > MAX_UNSTREAMED ? length : undefined
}

/** The JSON text of a payload. */
export const jsonText = (payload: unknown): string =>
  payload instanceof Rendered ? payload.text : (JSON.stringify(payload) ?? 'null')

/** The body of a response: bytes, encoded once so that their number is known, or a stream. */
export function bodyOf(payload: unknown): Buffer | Readable {
  if (!(payload instanceof Rendered)) return Buffer.from(jsonText(payload))
  return streamedLength(payload) === undefined
    ? encode(payload.segments, byteLength(payload.segments))
    : Readable.from(chunksOf(payload.segments), { objectMode: false })
}
