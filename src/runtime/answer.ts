import { ModelError } from '../llm/model-error.ts'
import type { ModelOutput } from '../llm/model-output.ts'
import type { ContentPart, TokenCount } from '../resources/messages/table.ts'
import { takeThought, writesThoughts } from './added-arguments.ts'
import { type Call, callsIn, contentIn } from './calls.ts'
import type { StepIds } from './frames.ts'
import type { Offer } from './offer.ts'
import { withPrescribed } from './prescribed.ts'
import type { Turn } from './turn.ts'

/** A model's answer, and the calls in it that run now and that wait for an approval. */
export interface Answer {
  ids: StepIds
  /** The ids of the caller's messages that are stored with the answer, right before it. */
  inputIds: string[]
  output: ModelOutput
  /** The content of the answer, with the thoughts of its calls. */
  content: ContentPart[]
  now: Call[]
  waiting: Call[]
  /** Milliseconds of the call of the model, and the start of the step. */
  milliseconds: number
  startedAt: number
  /** The tokens of the prompt. */
  count: TokenCount | undefined
}

/** Thrown where an agent that answers by a tool gets an answer without a call. */
export class NoCallError extends ModelError {
  readonly #output: ModelOutput

  constructor(output: ModelOutput) {
    const { request } = output
    super('llm_error', 'The answer of the model has no tool call: an agent of this type needs one in each answer.', {
      request,
    })
    this.#output = output
  }

  /** The answer. No log shows it. */
  get output(): ModelOutput {
    return this.#output
  }
}

/** The calls of an answer that count, and its content. Throws a NoCallError. */
export function readAnswer(turn: Turn, offer: Offer, output: ModelOutput) {
  const all = callsIn(output).slice(0, offer.parallel ? undefined : 1)
  if (offer.needsCall && all.length === 0) throw new NoCallError(output)
  const taken = writesThoughts(turn) ? all.map(takeThought) : all.map((call) => ({ call, thought: undefined }))
  const thoughts = taken.flatMap(({ thought }) => (thought ? { type: 'text', text: thought } : []))
  const calls = taken.map(({ call }) => withPrescribed(call, offer.prefilled, turn.agent.tools))
  const waiting = calls.filter(({ name, args, problem }) => args && !problem && offer.waits(name))
  const now = calls.filter((call) => !waiting.includes(call))
  return { content: [...contentIn(output), ...thoughts], now, waiting }
}
