import { Readable } from 'node:stream'
import { COMPOSED } from '../db/marks.ts'
import { Rendered } from '../db/render/rendered.ts'

/** A rendered body of this many characters or more is streamed. */
const STREAMED_CHARACTERS = 1 << 22

/** The characters of a chunk of a streamed body. */
const CHUNK_CHARACTERS = 1 << 16

/** The text of segments, in chunks: each is joined when the reader has taken the one before. */
function* chunksOf(segments: readonly string[]): Generator<string> {
  let pending: string[] = []
  let length = 0
  for (const segment of segments) {
    pending.push(segment)
    length += segment.length
    if (length < CHUNK_CHARACTERS) continue
    yield pending.join('')
    pending = []
    length = 0
  }
  if (length > 0) yield pending.join('')
}

/** Whether a body is streamed. One whose ETag is a hash of it isn't: the ETag comes first. */
const isStreamed = (payload: unknown): payload is Rendered<unknown> =>
  payload instanceof Rendered &&
  !(COMPOSED in payload) &&
  payload.segments.reduce((sum, { length }) => sum + length, 0) >= STREAMED_CHARACTERS

/** The length in bytes of a body that is streamed: a stream has no length of its own. Otherwise undefined. */
export const streamedLength = (payload: unknown): number | undefined =>
  isStreamed(payload) ? payload.segments.reduce((sum, segment) => sum + Buffer.byteLength(segment), 0) : undefined

/** The JSON text of a payload. */
export const jsonText = (payload: unknown): string =>
  payload instanceof Rendered ? payload.text : (JSON.stringify(payload) ?? 'null')

/** The bytes of segments. Joining the segments first would copy them once more. */
function encode(segments: readonly string[]): Buffer {
  const bytes = Buffer.allocUnsafeSlow(segments.reduce((sum, segment) => sum + Buffer.byteLength(segment), 0))
  let at = 0
  for (const segment of segments) at += bytes.write(segment, at)
  return bytes
}

/**
 * The body of a response: bytes, or a stream of strings when the body is long. Whole, a long body would wait in memory for a
 * slow reader; as bytes, its chunks would make the garbage collector run more often.
 */
export function bodyOf(payload: unknown): Buffer | Readable {
  if (isStreamed(payload)) return Readable.from(chunksOf(payload.segments))
  return payload instanceof Rendered ? encode(payload.segments) : Buffer.from(jsonText(payload))
}
