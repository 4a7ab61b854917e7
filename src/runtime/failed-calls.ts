import { ModelError } from '../llm/model-error.ts'
import { NoCallError } from './answer.ts'
import { stopReasonOf } from './failure.ts'
import { CancelledError } from './interruptions.ts'
import { chatCompletion, stepColumns, traceRow } from './trace.ts'
import type { Turn } from './turn.ts'
import { addUsage, stepUsage } from './usage.ts'

/** A call of a model, for its step. */
export interface CallBegun {
  stepId: string
  /** When it began: `performance.now()`. */
  startedAt: number
  /** The body that went to the provider, once its response has begun. */
  request?: unknown
}

/** How a call ended, by the error that it threw. Undefined where this server gives up the run: another one makes the call again. */
function endOfCall(error: unknown) {
  if (error instanceof CancelledError) {
    const message = 'The run was cancelled while the model was called.'
    return { status: 'cancelled', stopReason: 'cancelled', type: 'cancelled', message, detail: message } as const
  }
  if (!(error instanceof ModelError)) return undefined
  const { type, message, detail, request } = error
  return { status: 'failed', stopReason: stopReasonOf(error), type, message, detail, request } as const
}

/**
 * Makes a failed or cancelled call a step, which the next commit of the run stores: with the error, the request, and the tokens
 * that an answer without the call of a tool cost. It is no step of the run's usage.
 */
export function noteFailedCall(turn: Turn, { stepId, startedAt, request }: CallBegun, error: unknown): void {
  const end = endOfCall(turn.signal.aborted ? turn.signal.reason : error)
  if (!end) return
  const { status, stopReason, type, message, detail } = end
  const output = error instanceof NoCallError ? error.output : undefined
  const milliseconds = performance.now() - startedAt
  const times = { milliseconds, total: milliseconds }
  const columns = stepColumns(turn, stepId, output ?? { usage: undefined }, times, stopReason)
  const response = { ...(output && chatCompletion(turn, output)), error: { type, message, detail } }
  turn.failedCalls.push({
    step: { ...columns, status, phase: 'model', error_type: type, error_data: { message, detail } },
    trace: traceRow(turn, stepId, { request: end.request ?? request, response, callType: 'agent_step' }),
  })
  turn.usage = addUsage(turn.usage, stepUsage(output?.usage), false)
}
