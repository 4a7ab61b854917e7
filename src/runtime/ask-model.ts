import { callModel, type ModelCall } from '../llm/call-model.ts'
import { ModelError } from '../llm/model-error.ts'
import type { ModelOutput } from '../llm/model-output.ts'
import { fanOutOf } from '../resources/messages/fan-out.ts'
import { observeModelCall } from '../telemetry/model-calls.ts'
import { writesThoughts } from './added-arguments.ts'
import { type Answer, readAnswer } from './answer.ts'
import { callOptions } from './call-options.ts'
import { newStepIds } from './calls.ts'
import { modelKey } from './compaction/gauge.ts'
import { MAX_OVERFLOWS, makeRoom } from './compaction/make-room.ts'
import { promptTokens, toolTokens } from './compaction/tokens.ts'
import { createDeltaFrames } from './delta-frames.ts'
import { type CallBegun, noteFailedCall } from './failed-calls.ts'
import type { StepIds } from './frames.ts'
import type { Offer } from './offer.ts'
import { newRow, speakerOf, type Turn } from './turn.ts'

/** The tokens of a prompt that the model has reported; undefined where it reports none. */
function countOf(turn: Turn, { prompt, tools }: ModelCall, { usage }: ModelOutput) {
  const reported = usage?.inputTokens.total
  if (!reported) return undefined
  return { model: modelKey(turn), estimated: promptTokens(prompt) + toolTokens(tools), reported }
}

/** Calls the model, and reports its answer as it comes where the caller asked for tokens. */
async function receiveAnswer(turn: Turn, offer: Offer, ids: StepIds, begun: CallBegun): Promise<Answer> {
  const { model, request, log, agent, telemetry } = turn
  const options = callOptions(turn, offer)
  const style = {
    ...fanOutOf(agent.row.agent_type, request),
    ...{ writesThoughts: writesThoughts(turn), waits: offer.waits },
  }
  const speaker = speakerOf(turn)
  const frames = request.stream_tokens ? createDeltaFrames(ids, style) : undefined
  const onRequest = (body: unknown) => {
    begun.request = body
  }
  const deltas = observeModelCall(telemetry, model, callModel(model, { ...options, onRequest }))
  for (;;) {
    const { done, value } = await deltas.next()
    if (done) {
      const { startedAt } = begun
      const milliseconds = performance.now() - startedAt
      const count = countOf(turn, options, value)
      const inputIds = turn.inputs.map(({ id }) => id)
      return { ids, inputIds, output: value, ...readAnswer(turn, offer, value), startedAt, milliseconds, count }
    }
    turn.firstTokenMs ??= Date.now() - turn.startedAt
    for (const event of frames?.(value) ?? []) log.push({ ...event, ...speaker })
  }
}

/** Calls the model, as `receiveAnswer`, and notes a call that fails. Throws a ModelError, or the reason of an abort. */
async function askModel(turn: Turn, offer: Offer): Promise<Answer> {
  // Whatever the run has stored since it began lies before the caller's messages.
  turn.inputs = turn.inputs.map(({ id: _, ...row }) => newRow(turn, row))
  const ids = newStepIds(turn.run.id)
  const begun: CallBegun = { stepId: ids.stepId, startedAt: performance.now() }
  try {
    return await receiveAnswer(turn, offer, ids, begun)
  } catch (error) {
    noteFailedCall(turn, begun, error)
    throw error
  }
}

/** Calls the model, with room for its answer. Makes more room when the model refuses the prompt as too long. */
export async function askWithRoom(turn: Turn, offer: Offer): Promise<Answer> {
  for (let overflows = 0; ; overflows++) {
    await makeRoom(turn, offer, overflows)
    try {
      return await askModel(turn, offer)
    } catch (error) {
      if (overflows === MAX_OVERFLOWS || !(error instanceof ModelError) || error.type !== 'llm_context_window')
        throw error
    }
  }
}
