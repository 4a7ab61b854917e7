import { Readable } from 'node:stream'
import { Rendered } from '../db/render/rendered.ts'

/** A body longer than this many bytes is streamed: in one piece, a slow reader would hold all of it in memory. */
const MAX_UNSTREAMED = 1 << 20

/** The characters of one chunk of a streamed body. */
const CHUNK_CHARACTERS = 1 << 17

/** The bytes of a JSON text, some at a time: each chunk is encoded when the reader has taken the one before. */
function* chunksOf(segments: readonly string[]): Generator<Buffer> {
  let pending: string[] = []
  let length = 0
  for (const segment of segments) {
    pending.push(segment)
    length += segment.length
    if (length < CHUNK_CHARACTERS) continue
    yield Buffer.from(pending.join(''))
    pending = []
    length = 0
  }
  if (length > 0) yield Buffer.from(pending.join(''))
}

/** The length of a rendered body in bytes, when the body is long enough to be streamed; otherwise undefined. */
export function streamedLength(payload: unknown): number | undefined {
  if (!(payload instanceof Rendered) || payload.segments.length === 1) return undefined
  const length = payload.segments.reduce((sum, segment) => sum + Buffer.byteLength(segment), 0)
  return length > MAX_UNSTREAMED ? length : undefined
}

/** The JSON text of a payload. */
export const jsonText = (payload: unknown): string =>
  payload instanceof Rendered ? payload.text : (JSON.stringify(payload) ?? 'null')

/** The body of a response: bytes, encoded once so that their number is known, or a stream. */
export const bodyOf = (payload: unknown): Buffer | Readable =>
  payload instanceof Rendered && streamedLength(payload) !== undefined
    ? Readable.from(chunksOf(payload.segments), { objectMode: false })
    : Buffer.from(jsonText(payload))
