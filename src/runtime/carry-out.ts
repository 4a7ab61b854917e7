import type { FastifyBaseLogger } from 'fastify'
import { isDisconnected } from '../db/pg-errors.ts'
import { ApiError } from '../lib/errors.ts'
import type { StopReason } from '../resources/messages/schema.ts'
import { isOfGroup } from '../resources/messages/table.ts'
import type { LanguageModels } from '../resources/models/language.ts'
import { pendingApproval } from './accept.ts'
import type { Answer } from './answer.ts'
import { answerRequest, denyRequest, isRepeated, pendingRequest } from './approvals.ts'
import { EXPIRED } from './close-request.ts'
import { type Failure, failureOf } from './failure.ts'
import { runStepWithFallback } from './fall-back.ts'
import { errorEvent, stopEvent } from './frames.ts'
import { runGroup } from './groups/run-group.ts'
import { CancelledError, LostRunError, StoppingError } from './interruptions.ts'
import { prepareTurn } from './prepare.ts'
import { loadProgress } from './progress.ts'
import { repairHistory } from './repair.ts'
import { approvalRequest } from './rows.ts'
import type { RunOutcome } from './run-outcome.ts'
import { runStep } from './step.ts'
import { store } from './store-step.ts'
import { storedFailure } from './stored-failure.ts'
import { endOf, type Start, type StepEnd, type Turn } from './turn.ts'
import { noUsage } from './usage.ts'

/** The steps of a run whose request names no number. */
const MAX_STEPS = 50

/** Ends a run that has nothing left to do. */
const finish = (turn: Turn, stopReason: StopReason) =>
  store(turn, { end: endOf(turn, stopReason), events: [stopEvent(stopReason), turn.usage] })

/** The reason of denials by `on_pending`. */
const PASSED_OVER = 'The user went on without answering.'

const isExpired = ({ pendingUntil }: Turn) => pendingUntil !== undefined && Date.parse(pendingUntil) <= Date.now()

/** Answers the request for approval with which a run begins. Returns why the run ends, or undefined when it goes on. */
async function beginWithApproval(turn: Turn): Promise<StepEnd> {
  const { approval } = turn.request
  const pending = pendingRequest(turn.rows)
  if (pending && isExpired(turn)) {
    if (approval) throw new ApiError('bad_request', 'The request for approval has expired: its calls are denied.')
    return denyRequest(turn, pending, EXPIRED)
  }
  if (!approval) {
    if (pending && turn.request.on_pending === 'deny') return denyRequest(turn, pending, PASSED_OVER)
    if (pending) throw pendingApproval(approvalRequest(turn, pending.row))
    return undefined
  }
  if (pending) return answerRequest(turn, pending, approval)
  if (!(await isRepeated(turn, approval))) {
    throw new ApiError('bad_request', 'No call of this agent waits for an approval.')
  }
  if (turn.inputs.length > 0 || turn.rows.at(-1)?.run_id === turn.run.id) return undefined
  await finish(turn, 'end_turn')
  return 'end_turn'
}

/** The steps of a run. Returns why it ends. */
async function runSteps(turn: Turn, interrupted: Answer | undefined): Promise<StopReason> {
  const limit = turn.request.max_steps ?? MAX_STEPS
  const begun = interrupted
    ? (await runStep(turn, turn.usage.step_count + 1 >= limit, interrupted)).end
    : await beginWithApproval(turn)
  if (begun) return begun
  for (;;) {
    turn.signal.throwIfAborted()
    const { end, cancel, spent } = await runStepWithFallback(turn, turn.usage.step_count + 1 >= limit)
    if (end) return end
    if (cancel) throw new CancelledError()
    if (spent) {
      await finish(turn, 'insufficient_credits')
      return 'insufficient_credits'
    }
  }
}

/** Stores how a run failed, or that it was cancelled. */
async function endEarly(start: Start, turn: Turn | undefined, failure: Failure | undefined): Promise<StopReason> {
  const { run, startedAt } = start
  if (!failure) {
    const end = { status: 'cancelled', stopReason: 'cancelled', startedAt } as const
    await store(turn ?? start, { end, events: [stopEvent('cancelled')] })
    return 'cancelled'
  }
  const { stopReason, type, message, detail } = failure
  const error = { type, message }
  const end = { status: 'failed', stopReason, error, failure: storedFailure(failure), startedAt } as const
  await store(turn ?? start, { end, events: [stopEvent(stopReason), errorEvent(run.id, type, message, detail)] })
  return stopReason
}

/** The failure of an error; undefined for a cancelled run. Logs an error that is a mistake of ours. */
function failureFor(error: unknown, { run }: Start, logger: FastifyBaseLogger): Failure | undefined {
  if (error instanceof CancelledError) return undefined
  const failure = failureOf(error)
  if (failure.error.code === 'internal') logger.error({ err: error, run: run.id }, 'run failed')
  return failure
}

/**
 * Carries a run out to its end, and reports all of it to the log. Undefined when another server carries it on: this one lost
 * it, or stops. Throws the error of a lost connection to the database.
 */
export async function carryOut(
  start: Start,
  models: LanguageModels,
  logger: FastifyBaseLogger,
): Promise<RunOutcome | undefined> {
  const { signal } = start
  let turn: Turn | undefined
  try {
    if (isOfGroup(start.run)) return await runGroup(start)
    turn = await prepareTurn(start, models)
    await repairHistory(turn, logger)
    const stopReason = await runSteps(turn, start.attempts > 1 ? await loadProgress(turn) : undefined)
    return { stopReason, usage: turn.usage, tokens: turn.tokens, embeds: turn.agent.row.embedding_config != null }
  } catch (thrown) {
    const error = signal.aborted ? signal.reason : thrown
    if (error instanceof LostRunError || error instanceof StoppingError) return undefined
    // Nobody knows whether the last statement has happened: the run is claimed, and read, anew.
    if (isDisconnected(error)) throw error
    const failure = failureFor(error, start, logger)
    const stopReason = await endEarly(start, turn, failure)
    return { stopReason, usage: turn?.usage ?? noUsage(), ...(failure && { failure }) }
  }
}
