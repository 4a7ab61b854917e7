import { sql } from 'kysely'
import type { Scope } from '../../db/scope.ts'
import type { StoredMessage } from '../../resources/messages/table.ts'
import { userCut } from '../compaction/cut.ts'
import { transcriptOf } from '../compaction/transcript.ts'

/** The rows and the characters of a transcript: of more, the newest. */
const MAX_ROWS = 500
const MAX_CHARACTERS = 60_000

/** The messages in context of a voice agent whose group names no bounds. */
const BUFFER = { max: 30, min: 15 }

/** The newest lines that fit. */
function newest(lines: readonly string[]): string[] {
  let length = 0
  const isBeyond = (line: string) => {
    length += line.length
    return length > MAX_CHARACTERS
  }
  return lines.slice(lines.findLastIndex(isBeyond) + 1)
}

/** The stored lines of runs, and those of rows that are being stored. */
export async function linesOfRuns(tx: Scope, runIds: readonly string[], added: readonly StoredMessage[]) {
  const rows = await tx.query<StoredMessage>(sql`
    select * from messages where organization_id = ${tx.organizationId} and run_id = any(${runIds}::text[])
      and role <> 'summary' order by created_at desc, id desc limit ${MAX_ROWS}`)
  return newest(transcriptOf([...rows.reverse(), ...added]))
}

/** The oldest rows of a context beyond its bounds; none of a context within them. */
export function rowsBeyond(rows: readonly StoredMessage[], { max, min }: { max: number | null; min: number | null }) {
  if (rows.length <= (max ?? BUFFER.max)) return []
  return rows.slice(0, userCut(rows, rows.length - (min ?? BUFFER.min)))
}

/** The lines of rows that leave the context, each with its number. */
export const numberedLines = (rows: readonly StoredMessage[]): string[] =>
  newest(transcriptOf(rows)).map((line, n) => `${n}. ${line}`)

const TASKS = {
  sleeptime: 'This was said since you last looked. Bring the memory blocks up to date with it.',
  voice_sleeptime:
    'These lines leave the conversation. Store the parts worth keeping by their numbers, then bring the memory of the user up to date.',
}

/** The message with which a member begins. */
export const sleeptimeMessage = (type: keyof typeof TASKS, manager: string, lines: readonly string[]): string =>
  [`You look after the memory of the agent "${manager}". ${TASKS[type]}`, '', ...lines].join('\n')
