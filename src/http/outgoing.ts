import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { encode, RawJson } from '../lib/json.ts'
import { leaveSheet, SHORTEST, type Sheet, takeSheet } from '../lib/sheet.ts'
import { reader, type Slices } from '../lib/slices.ts'

/** Leaves a sheet to others when all of an answer is in the system's hands, or its connection and what waited for it are gone. */
export function leaveAfter(response: ServerResponse, sheet: Sheet): void {
  const leave = () => leaveSheet(sheet)
  // Who has gone before is answered to no one, at the end of this turn of the event loop.
  if (response.closed) setImmediate(leave)
  else response.once('close', leave)
}

/**
 * A text that goes out piece by piece, as fast as its reader takes it: all of it in one piece would be held for each slow
 * reader. The bytes of a piece are used for the next one as soon as the system has taken them, which a response alone
 * tells: it is sent past the stream's own buffer.
 */
function inPieces(text: Slices): Readable {
  const stream = new Readable({ read() {} })
  const read = reader(text)
  let left = text.length
  stream.pipe = (destination) => {
    const response = destination as unknown as ServerResponse
    const sheet = takeSheet(SHORTEST)
    leaveAfter(response, sheet)
    const send = (error?: Error | null) => {
      if (error || response.destroyed) return
      const piece = sheet.bytes.subarray(0, read(sheet.bytes))
      left -= piece.length
      if (left > 0) {
        response.write(piece, send)
        return
      }
      // First its end, then the response's: a stream that outlives its response counts as broken off.
      stream.once('end', () => response.end(piece))
      stream.resume().push(null)
    }
    send()
    return destination
  }
  return stream
}

/** What an answer goes out as: its bytes, or a stream of them where they are many. */
export const bodyOf = (answer: unknown): Buffer | Readable =>
  answer instanceof RawJson && answer.slices ? inPieces(answer.slices) : encode(answer)
