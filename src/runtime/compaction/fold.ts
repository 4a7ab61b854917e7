import type { StoredMessage } from '../../resources/messages/table.ts'
import { transcriptOf } from './transcript.ts'

/** Characters of a message in a fold. */
const MAX_LINE = 300

const cut = (line: string, length: number) => (line.length > length ? `${line.slice(0, length - 1)}…` : line)

/**
 * A summary that needs no model: an earlier summary, and the beginning of each message, the newest as far as `length`
 * characters reach. It always succeeds.
 */
export function fold(rows: readonly StoredMessage[], length: number): string {
  const isEarlier = ({ role }: StoredMessage) => role === 'summary'
  const earlier = transcriptOf(rows.filter(isEarlier)).map((line) => cut(line, Math.floor(length / 2)))
  const lines = transcriptOf(rows.filter((row) => !isEarlier(row))).map((line) =>
    cut(line.replace(/\s+/g, ' '), MAX_LINE),
  )
  const note = 'The beginnings of the newest messages (search the conversation for the rest):'
  let left = length - earlier.join('\n').length - note.length - 2
  const shown: string[] = []
  for (const line of lines.toReversed()) {
    left -= line.length + 1
    if (left < 0) break
    shown.unshift(line)
  }
  return cut([...earlier, note, ...shown].join('\n'), length)
}
