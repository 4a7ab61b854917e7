import type { Readable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import { MAX_OUTPUT, MAX_RESULT } from './sandbox.ts'

/** The bytes of a stream beyond which its writer is ended. */
const FLOOD = 64 * MAX_OUTPUT

/** Reads a stream, and returns what gives the beginning of its text. `onFlood` is called beyond 64 MB. */
export function capture(stream: Readable, onFlood: () => void): () => string {
  const decoder = new StringDecoder('utf8')
  let text = ''
  let read = 0
  stream.on('data', (chunk: Buffer) => {
    const room = MAX_OUTPUT - read
    read += chunk.length
    if (room > 0) text += decoder.write(chunk.subarray(0, room))
    if (read > FLOOD) onFlood()
  })
  return () => (read > MAX_OUTPUT ? `${text}\n… [cut: the first ${MAX_OUTPUT} of ${read} bytes]\n` : text)
}

/** Calls `onLine` with each line of a stream, without its end, and `onFlood` for a line beyond MAX_RESULT bytes. */
export function readLines(stream: Readable, onLine: (line: string) => void, onFlood: () => void): void {
  let parts: Buffer[] = []
  let size = 0
  stream.on('data', (chunk: Buffer) => {
    let rest = chunk
    for (let end = rest.indexOf('\n'); end >= 0; end = rest.indexOf('\n')) {
      onLine(Buffer.concat([...parts, rest.subarray(0, end)]).toString())
      parts = []
      size = 0
      rest = rest.subarray(end + 1)
    }
    size += rest.length
    if (size > MAX_RESULT) {
      parts = []
      onFlood()
    } else parts.push(rest)
  })
}
