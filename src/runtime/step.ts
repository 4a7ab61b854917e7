import type { LanguageModelV4Prompt } from '@ai-sdk/provider'
import { newId } from '../lib/ids.ts'
import { callModel } from '../llm/call-model.ts'
import { ModelError } from '../llm/model-error.ts'
import type { ModelOutput } from '../llm/model-output.ts'
import { callSettings } from '../llm/settings.ts'
import type { StoredMessage, TokenCount } from '../resources/messages/table.ts'
import { type Call, callsIn, contentIn, newStepIds } from './calls.ts'
import { modelKey, promptOf } from './compaction/gauge.ts'
import { MAX_OVERFLOWS, makeRoom } from './compaction/make-room.ts'
import { promptTokens, toolTokens } from './compaction/tokens.ts'
import { executeCalls, isOutside } from './execute.ts'
import { createDeltaFrames, type StepIds, stopEvent } from './frames.ts'
import { type Offer, offerTools } from './offer.ts'
import { answerRows, approvalRequest, messagesOf, reminderRow, returnRow } from './rows.ts'
import { type Changes, store, storeWithEffects } from './store-step.ts'
import { endsRun, missingBeforeExit, type PastCall } from './tool-rules.ts'
import type { ToolResult } from './tools/tool.ts'
import { stepColumns, traceColumns } from './trace.ts'
import { contextWith, endOf, type StepEnd, type Turn } from './turn.ts'
import { addUsage, stepUsage } from './usage.ts'

/** A model's answer, and the calls in it that run now and that wait for an approval. */
export interface Answer {
  ids: StepIds
  output: ModelOutput
  now: Call[]
  waiting: Call[]
  /** Milliseconds of the call of the model, and the start of the step. */
  milliseconds: number
  startedAt: number
  /** The tokens of the prompt. */
  count: TokenCount | undefined
}

const withPrefilled = (call: Call, { prefilled }: Offer): Call => {
  const args = prefilled.get(call.name)
  return args && call.args ? { ...call, args: { ...call.args, ...args } } : call
}

/** The tokens of a prompt that the model has reported; undefined where it reports none. */
function countOf(turn: Turn, { options }: Offer, prompt: LanguageModelV4Prompt, { usage }: ModelOutput) {
  const reported = usage?.inputTokens.total
  if (!reported) return undefined
  return { model: modelKey(turn), estimated: promptTokens(prompt) + toolTokens(options.tools), reported }
}

/** Calls the model, and reports its answer as it comes where the caller asked for tokens. */
async function askModel(turn: Turn, offer: Offer): Promise<Answer> {
  const { model, config, request, signal, log } = turn
  const ids = newStepIds(turn.run.id)
  const startedAt = performance.now()
  const prompt = promptOf(turn)
  const frame = request.stream_tokens ? createDeltaFrames(ids, offer.waits) : undefined
  const settings = callSettings(config, turn.agent.row.model_settings ?? {}, offer.parallel)
  const deltas = callModel(model, { prompt, ...offer.options, ...settings, abortSignal: signal })
  for (;;) {
    const { done, value } = await deltas.next()
    if (done) {
      const calls = callsIn(value).slice(0, offer.parallel ? undefined : 1)
      const waiting = calls.filter(({ name, args }) => args && offer.waits(name))
      const now = calls.filter((call) => !waiting.includes(call)).map((call) => withPrefilled(call, offer))
      const milliseconds = performance.now() - startedAt
      return { ids, output: value, now, waiting, startedAt, milliseconds, count: countOf(turn, offer, prompt, value) }
    }
    turn.firstTokenMs ??= Date.now() - turn.startedAt
    const event = frame?.(value)
    if (event) log.push(event)
  }
}

/** Calls the model, with room for its answer. Makes more room when the model refuses the prompt as too long. */
async function askWithRoom(turn: Turn, offer: Offer): Promise<Answer> {
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

const namesOf = ({ agent }: Turn) => agent.tools.map(({ name }) => name!)

/** The required tools that this run hasn't called. */
const missing = (turn: Turn, past: readonly PastCall[]) =>
  missingBeforeExit(turn.agent.row.tool_rules ?? [], namesOf(turn), past)

/** Why the run ends behind an answer; undefined where it goes on. `past` are the calls of the run with those of the answer. */
function endBehind(turn: Turn, { output, now, waiting }: Answer, past: readonly PastCall[], isLast: boolean): StepEnd {
  if (waiting.length > 0) return 'requires_approval'
  const rules = turn.agent.row.tool_rules ?? []
  const ready = missing(turn, past).length === 0
  if (now.length === 0) {
    if (!ready && !isLast) return undefined
    return output.finish === 'length' ? 'max_tokens_exceeded' : 'end_turn'
  }
  if (ready && now.some(({ name }) => endsRun(rules, name))) return 'tool_rule'
  return isLast ? 'max_steps' : undefined
}

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
  const { ids, output, now, waiting } = answer
  const past = [...turn.calls, ...results.map((result, n) => ({ name: now[n]!.name, output: result.output }))]
  const end = endBehind(turn, answer, past, isLast)
  // An answer of nothing leaves no trace in the history: a provider would refuse it.
  if (now.length + waiting.length === 0 && contentIn(output).length === 0) return { inputs: [], added: [], past, end }
  const added = [
    ...answerRows(turn, ids, output, now, waiting),
    ...(results.length > 0 ? [returnRow(turn, returnId, ids.stepId, now, results)] : []),
    ...(now.length + waiting.length === 0 && !end ? [reminderRow(turn, ids.stepId, missing(turn, past))] : []),
  ]
  return { inputs: turn.inputs.map((row) => ({ ...row, step_id: ids.stepId })), added, past, end }
}

/** The commit of a step. */
function commitOf(
  turn: Turn,
  { ids, output, waiting, milliseconds, startedAt, count }: Answer,
  outcome: Outcome,
): Changes {
  const { inputs, added, end } = outcome
  const messages = [...inputs, ...added]
  // Readers of tokens have seen the model's own message already.
  const kinds = turn.request.stream_tokens ? ['tool'] : ['assistant', 'approval', 'tool']
  const reported = messagesOf(
    turn,
    added.filter(({ role }) => kinds.includes(role)),
  )
  const times = { milliseconds, total: performance.now() - startedAt }
  return {
    messages,
    context: contextWith(turn, messages),
    count,
    step: stepColumns(turn, ids.stepId, output, times, end),
    trace: traceColumns(turn, ids.stepId, output),
    ...(turn.system.changed && { system: { id: turn.system.id, content: [{ type: 'text', text: turn.system.text }] } }),
    ...(waiting.length > 0 && { pending: approvalRequest(turn, added.at(-1)!) }),
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
  await store(turn, { step: { ...columns, status: 'pending', phase: 'tools', answer: stored } })
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
): Promise<{ end: StepEnd; cancel: boolean }> {
  const offer = offerTools(turn)
  const answer = interrupted ?? (await askWithRoom(turn, offer))
  turn.usage = addUsage(turn.usage, stepUsage(answer.output.usage))
  const returnId = newId('message')
  let outcome = outcomeOf(turn, answer, [], returnId, isLast)
  const runs = answer.now.length > 0 && answer.waiting.length === 0
  if (runs && !interrupted && answer.now.some((call) => isOutside(turn, call))) await beginCalls(turn, answer)
  const { cancel } = runs
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
  turn.rows.push(...outcome.inputs, ...outcome.added)
  turn.inputs = []
  turn.system.changed = false
  return { end: outcome.end, cancel }
}
