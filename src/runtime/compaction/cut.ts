import type { StoredMessage } from '../../resources/messages/table.ts'

const isAsking = ({ role, tool_calls }: StoredMessage) =>
  role === 'assistant' || (role === 'approval' && Boolean(tool_calls?.length))

/**
 * The rows at which a history may be cut: rows before and behind such a place share no call. The rows of one step, and a
 * request for approval with its answer, stay together.
 */
const cutsOf = (rows: readonly StoredMessage[]): number[] =>
  rows.flatMap((row, n) => {
    if (row.role === 'tool' || row.role === 'function') return []
    if (row.role === 'approval' && !isAsking(row)) return []
    return isAsking(row) && n > 0 && isAsking(rows[n - 1]!) ? [] : n
  })

/** The latest message of the user at or before row `n` at which a history may be cut; 0 where none is. */
export const userCut = (rows: readonly StoredMessage[], n: number): number =>
  cutsOf(rows).findLast((place) => place <= n && rows[place]!.role === 'user') ?? 0

/** The calls of rows that have no return among them. */
function openCalls(rows: readonly StoredMessage[]): Set<string> {
  const open = new Set(rows.flatMap(({ tool_calls }) => (tool_calls ?? []).map(({ id }) => id)))
  for (const { tool_returns } of rows) for (const { tool_call_id } of tool_returns ?? []) open.delete(tool_call_id)
  return open
}

/** The rows at the end whose calls wait for returns: no compaction takes them. */
export function openTail(rows: readonly StoredMessage[]): StoredMessage[] {
  const tail = rows.slice(cutsOf(rows).at(-1) ?? rows.length)
  return openCalls(tail).size > 0 ? tail : []
}

/** Added to the share before each cut. */
const STEP = 0.1

/**
 * The place to cut a history: as early as leaves rows that fit, but behind `share` and a tenth of the messages. The rows
 * behind it begin with a message of the model, at least two go: one would only change places with its summary. Undefined where no such place is. Counts include the system prompt.
 */
export function slidingCut(
  rows: readonly StoredMessage[],
  share: number,
  fits: (rest: readonly StoredMessage[]) => boolean,
): number | undefined {
  const places = cutsOf(rows).filter((n) => n > 1 && isAsking(rows[n]!))
  for (let evicted = share + STEP; evicted < 1; evicted += STEP) {
    const limit = Math.round(evicted * (rows.length + 1)) - 1
    const place = places.findLast((n) => n <= limit)
    if (place !== undefined && fits(rows.slice(place))) return place
  }
  return undefined
}
