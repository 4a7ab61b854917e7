import { newId } from '../lib/ids.ts'
import { answersByText } from '../resources/messages/fan-out.ts'
import type { StoredMessage } from '../resources/messages/table.ts'
import type { Answer } from './answer.ts'
import { askWithRoom } from './ask-model.ts'
import { countedCalls, type Sequel, sequelOf } from './continuation.ts'
import { executeCalls, isOutside } from './execute.ts'
import { stopEvent } from './frames.ts'
import { offerTools } from './offer.ts'
import { answerRows, approvalRequest, heartbeatRow, messagesOf, returnRow } from './rows.ts'
import { type Changes, store, storeWithEffects } from './store-step.ts'
import { addTurns } from './token-turns.ts'
import type { PastCall } from './tool-rules.ts'
import type { ToolResult } from './tools/tool.ts'
import { stepColumns, traceColumns } from './trace.ts'
import { contextWith, endOf, type StepEnd, type Turn } from './turn.ts'
import { addUsage, stepUsage } from './usage.ts'

/** The rows that a step adds, and what follows. */
interface Outcome {
  /** The caller's messages, which the first step of a run stores. */
  inputs: StoredMessage[]
  added: StoredMessage[]
  past: PastCall[]
  end: StepEnd
}

function outcomeOf(
  turn: Turn,
  answer: Answer,
  results: readonly ToolResult[],
  returnId: string,
  isLast: boolean,
): Outcome {
  const { ids, output, content, now, waiting } = answer
  const executed = results.map((result, n) => ({ call: now[n]!, result }))
  const past = [...turn.calls, ...countedCalls(executed)]
  const sequel: Sequel =
    waiting.length > 0
      ? { end: 'requires_approval' }
      : sequelOf(turn, executed, past, { isLast, cut: output.finish === 'length' })
  const { end, heartbeat } = sequel
  const inputs = turn.inputs.map((row) => ({ ...row, step_id: ids.stepId }))
  // An answer of nothing leaves no trace in the history: a provider would refuse it.
  if (now.length + waiting.length === 0 && content.length === 0) return { inputs, added: [], past, end }
  const added = [
    ...answerRows(turn, answer),
    ...(results.length > 0 ? [returnRow(turn, returnId, ids.stepId, now, results)] : []),
    ...(heartbeat ? [heartbeatRow(turn, ids.stepId, heartbeat)] : []),
  ]
  return { inputs, added, past, end }
}

/** The roles of new rows that readers get: those of tokens have seen the model's own message, and no heartbeat is shown. */
function reportedRoles({ request, agent }: Turn): readonly string[] {
  if (request.stream_tokens) return ['tool']
  return ['assistant', 'approval', 'tool', ...(answersByText(agent.row.agent_type) ? ['user'] : [])]
}

/** The instant at which calls that begin to wait now are denied; undefined: they wait for ever. */
function expiryOf({ request: { approval_expires_after: seconds } }: Turn): string | undefined {
  return seconds == null ? undefined : new Date(Date.now() + seconds * 1000).toISOString()
}

/** The commit of a step. */
function commitOf(
  turn: Turn,
  { ids, output, waiting, milliseconds, startedAt, count }: Answer,
  outcome: Outcome,
): Changes {
  const { inputs, added, end } = outcome
  const messages = [...inputs, ...added]
  const roles = reportedRoles(turn)
  const reported = messagesOf(
    turn,
    added.filter(({ role }) => roles.includes(role)),
  )
  const times = { milliseconds, total: performance.now() - startedAt }
  return {
    messages,
    context: contextWith(turn, messages),
    count,
    steps: [stepColumns(turn, ids.stepId, output, times, end)],
    traces: [traceColumns(turn, ids.stepId, output)],
    ...(turn.system.changed && { system: { id: turn.system.id, content: [{ type: 'text', text: turn.system.text }] } }),
    ...(waiting.length > 0 && { pending: approvalRequest(turn, added.at(-1)!), pendingUntil: expiryOf(turn) }),
    events: [...reported, ...(end ? [stopEvent(end), turn.usage] : [])],
    ...(end && { end: endOf(turn, end) }),
  }
}

/** Stores an answer before its calls run: they have effects, and another server may have to carry them on. */
async function beginCalls(turn: Turn, answer: Answer): Promise<void> {
  const { ids, output, milliseconds, startedAt } = answer
  const times = { milliseconds, total: performance.now() - startedAt }
  const columns = stepColumns(turn, ids.stepId, output, times, undefined)
  // The request to the provider is large, and its place is the trace.
  const stored = { ...answer, output: { ...output, request: undefined } }
  await store(turn, { steps: [{ ...columns, status: 'pending', phase: 'tools', answer: stored }] })
}

/**
 * One step: calls the model, runs the calls of its answer, and stores all of it by one commit. `interrupted`: an answer whose
 * calls another server began to run; they are carried on, also for a run that is to end. Returns why the run ends, or
 * undefined when it goes on. Throws a ModelError, the reason of an abort, or a LostRunError; then nothing is stored.
 */
export async function runStep(
  turn: Turn,
  isLast: boolean,
  interrupted?: Answer,
): Promise<{ end: StepEnd; cancel: boolean; spent: boolean }> {
  const offer = offerTools(turn)
  const answer = interrupted ?? (await askWithRoom(turn, offer))
  turn.usage = addUsage(turn.usage, stepUsage(answer.output.usage))
  const returnId = newId('message')
  let outcome = outcomeOf(turn, answer, [], returnId, isLast)
  const runs = answer.now.length > 0 && answer.waiting.length === 0
  if (runs && !interrupted && answer.now.some((call) => isOutside(turn, call))) await beginCalls(turn, answer)
  const { cancel, spent } = runs
    ? await storeWithEffects(
        turn,
        () => executeCalls(turn, answer.ids.stepId, answer.now, offer.allowed),
        (results) => {
          outcome = outcomeOf(turn, answer, results, returnId, isLast)
          return commitOf(turn, answer, outcome)
        },
      )
    : await store(turn, commitOf(turn, answer, outcome))
  turn.count = answer.count ?? turn.count
  turn.calls = outcome.past
  addTurns(turn.tokens, answer, outcome.added)
  turn.rows.push(...outcome.inputs, ...outcome.added)
  turn.inputs = []
  turn.system.changed = false
  return { end: outcome.end, cancel, spent }
}
