import { sql } from 'kysely'
import type { Call } from './calls.ts'
import { CancelledError, LostRunError, StoppingError } from './interruptions.ts'
import { ToolError } from './memory.ts'
import { isRefusal } from './refused.ts'
import type { OutsideTool, ToolResult } from './tools/tool.ts'
import type { Turn } from './turn.ts'

const failed = (output: string): ToolResult => ({ status: 'error', output })

/** The result of a call that was interrupted: the model decides what to do about it. */
const INTERRUPTED = failed('The call was interrupted, and its outcome is unknown. It was not repeated.')

const NOT_RUN = failed('The run ended before this call, which was not carried out.')

const FAULT = failed('The tool failed for a fault of the server. Whether the call has had effects is unknown.')

interface Entry {
  /** As it was before: undefined for a call that is new. */
  before: 'running' | 'done' | 'unknown' | null
  result: ToolResult | null
}

/** Notes that a call begins, unless it is known or `wanted` is false. Throws a LostRunError when another server owns the run. */
async function begin(
  { scope, run }: Turn,
  stepId: string,
  callId: string,
  kind: string,
  wanted: boolean,
): Promise<Entry> {
  const { organizationId } = scope
  const [entry] = await scope.query<Entry>(sql`
    with run as (
      select id from runs where organization_id = ${organizationId} and id = ${run.id} and status = 'running'
        and owner = ${run.owner} and fence = ${run.fence} for share
    ), begun as (
      insert into tool_calls (organization_id, step_id, call_id, run_id, kind, state, created_at)
      select ${organizationId}, ${stepId}, ${callId}, run.id, ${kind}, 'running', ${new Date().toISOString()}::timestamptz
      from run where ${wanted}
      on conflict (organization_id, step_id, call_id) do update
        set state = case when tool_calls.state = 'running' and tool_calls.kind = 'once' then 'unknown' else tool_calls.state end
      returning state
    )
    select call.state as before, call.result from run left join tool_calls as call
      on call.organization_id = ${organizationId} and call.step_id = ${stepId} and call.call_id = ${callId}`)
  if (!entry) throw new LostRunError()
  return entry
}

/** Stores the result of a call for a server that carries the run on. */
const finish = ({ scope, run }: Turn, stepId: string, callId: string, result: ToolResult) =>
  scope.query(sql`
    update tool_calls set state = 'done', result = ${JSON.stringify(result)}::json
    where organization_id = ${scope.organizationId} and step_id = ${stepId} and call_id = ${callId}
      and exists (select from runs where organization_id = ${scope.organizationId} and id = ${run.id}
        and owner = ${run.owner} and fence = ${run.fence})
    returning call_id`)

/** A signal for a call: the end of the run aborts it. The stop of the server awaits a call that may run only once. */
function signalOf({ signal }: Turn, { outside }: OutsideTool): AbortSignal {
  if (outside === 'repeatable') return signal
  const cancelled = new AbortController()
  const abort = () => signal.reason instanceof StoppingError || cancelled.abort(signal.reason)
  if (signal.aborted) abort()
  else signal.addEventListener('abort', abort, { once: true })
  return cancelled.signal
}

async function resultOf(run: () => Promise<ToolResult>): Promise<ToolResult> {
  try {
    return await run()
  } catch (error) {
    if (error instanceof CancelledError) return INTERRUPTED
    if (error instanceof StoppingError) throw error
    return error instanceof ToolError || isRefusal(error) ? failed(error.message) : FAULT
  }
}

/**
 * Runs a call whose effects are outside of the step's commit. Across servers, their ends and stale commits it runs at most once,
 * unless its tool may be repeated: a call that was interrupted has an error as its result. Throws a LostRunError.
 */
export async function runOutside(
  turn: Turn,
  stepId: string,
  { id }: Pick<Call, 'id'>,
  tool: OutsideTool,
  run: (signal: AbortSignal) => Promise<ToolResult>,
): Promise<ToolResult> {
  const { outside } = tool
  const key = `${stepId} ${id}`
  const known = turn.outcomes.get(key)
  if (known) return known
  const { aborted, reason } = turn.signal
  if (aborted && reason instanceof StoppingError) throw reason
  const { before, result } = await begin(turn, stepId, id, outside, !aborted)
  const isInterrupted = before === 'unknown' || (before === 'running' && (outside === 'once' || aborted))
  let outcome = before === 'done' ? result! : isInterrupted ? INTERRUPTED : NOT_RUN
  if (!aborted && before !== 'done' && !isInterrupted) {
    outcome = await resultOf(() => run(signalOf(turn, tool)))
    await finish(turn, stepId, id, outcome)
  }
  turn.outcomes.set(key, outcome)
  return outcome
}
