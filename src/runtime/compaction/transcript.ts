import { asText, unpackReturn, unpackSummary, unpackUser } from '../../resources/messages/packed.ts'
import type { StoredMessage } from '../../resources/messages/table.ts'

/** Characters of a tool's return in a transcript. */
const MAX_RETURN = 5_000

const clipped = (text: string, length: number) =>
  text.length > length ? `${text.slice(0, length)}… [${text.length - length} characters cut]` : text

const timed = ({ created_at }: StoredMessage, who: string, text: string) =>
  `[${new Date(created_at).toISOString().slice(0, 16).replace('T', ' ')}] ${who}: ${text}`

function entriesOf(row: StoredMessage, names: ReadonlyMap<string, string>): string[] {
  const { role, content, tool_calls, tool_returns } = row
  const text = content.some(({ type }) => type === 'text' || type === 'image') ? asText(content).trim() : ''
  switch (role) {
    case 'summary':
      return [`Summary of everything before: ${unpackSummary(content).summary}`]
    case 'user':
    case 'system':
      return [timed(row, role === 'user' ? 'User' : 'System', role === 'user' ? unpackUser(content) : text)]
    case 'tool':
    case 'function':
      return (tool_returns ?? []).map((one) =>
        timed(
          row,
          `Return of ${names.get(one.tool_call_id) ?? 'a tool'}`,
          clipped(asText(unpackReturn(one)), MAX_RETURN),
        ),
      )
    default:
      return [
        ...(text ? [timed(row, 'Assistant', text)] : []),
        ...(tool_calls ?? []).map((call) =>
          timed(row, 'Assistant', `calls ${call.function.name} ${clipped(call.function.arguments, MAX_RETURN)}`),
        ),
      ]
  }
}

/** The messages of rows as lines of plain text, oldest first. Reasoning and images are left out, long returns are cut. */
export function transcriptOf(rows: readonly StoredMessage[]): string[] {
  const names = new Map(
    rows.flatMap(({ tool_calls }) => (tool_calls ?? []).map((call) => [call.id, call.function.name] as const)),
  )
  return rows.flatMap((row) => entriesOf(row, names))
}

/** Joins lines to texts of at most `length` characters. A line that is longer is divided. */
export function chunksOf(lines: readonly string[], length: number): string[] {
  const chunks: string[] = []
  let open = ''
  const pieces = lines.flatMap((line) =>
    Array.from({ length: Math.ceil(line.length / length) || 1 }, (_, n) => line.slice(n * length, (n + 1) * length)),
  )
  for (const piece of pieces) {
    if (open !== '' && open.length + 1 + piece.length > length) {
      chunks.push(open)
      open = ''
    }
    open = open === '' ? piece : `${open}\n${piece}`
  }
  return open === '' ? chunks : [...chunks, open]
}
