import { sql } from 'kysely'
import { omitNullFields } from '../lib/json.ts'
import type { Answer } from './answer.ts'
import { newRow, type Turn } from './turn.ts'
import { addUsage, type StepUsage } from './usage.ts'

type StepRow = { [Field in keyof Required<StepUsage>]: number | null } & {
  answer: Answer | null
  phase: string
}

/**
 * What servers before this one have done of a run: adds the tokens of their steps to those of the turn. Returns the answer whose
 * calls were running when the last of them ended; the caller's messages get the ids that they have before it.
 */
export async function loadProgress(turn: Turn): Promise<Answer | undefined> {
  const rows = await turn.scope.query<StepRow>(sql`
    select prompt_tokens, completion_tokens, total_tokens, cached_input_tokens, cache_write_tokens, reasoning_tokens, answer, phase
    from steps where organization_id = ${turn.scope.organizationId} and run_id = ${turn.run.id} order by created_at, id`)
  for (const { answer, phase, prompt_tokens, completion_tokens, total_tokens, ...optional } of rows) {
    if (answer) continue
    const known = omitNullFields(optional)
    const tokens = { prompt_tokens: prompt_tokens ?? 0, completion_tokens: completion_tokens ?? 0 }
    turn.usage = addUsage(turn.usage, { ...known, ...tokens, total_tokens: total_tokens ?? 0 }, phase === 'done')
  }
  const interrupted = rows.at(-1)?.answer
  if (!interrupted) return undefined
  // A server of an older version stored none.
  const { inputIds = [] } = interrupted
  turn.inputs = turn.inputs.map((row, n) => newRow(turn, { ...row, id: inputIds[n] ?? row.id }))
  return { ...interrupted, startedAt: performance.now() - interrupted.milliseconds }
}
