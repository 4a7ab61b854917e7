import { newId } from '../lib/ids.ts'
import { cleanToolName } from '../lib/tool-name.ts'
import { parseInput } from '../llm/call-input.ts'
import type { ModelOutput, ModelPart } from '../llm/model-output.ts'
import { spacedJson } from '../resources/messages/packed.ts'
import type { ContentPart, ModelParts, StoredCall } from '../resources/messages/table.ts'

/** A call of a tool that a model asks for. */
export interface Call {
  id: string
  name: string
  /** The arguments; undefined where the model wrote no JSON object. */
  args: Record<string, unknown> | undefined
  /** The arguments as the model wrote them. */
  input: string
  /** The reason why the call can't be made, whatever the model does. */
  problem?: string | undefined
}

/** A name that every provider takes back. */
const cleanName = (name: string) => cleanToolName(name) || 'unnamed'

/** The calls of an answer, in their order. */
export const callsIn = ({ parts }: ModelOutput): Call[] =>
  parts.flatMap((part) =>
    part.type === 'tool-call'
      ? { id: part.toolCallId, name: cleanName(part.toolName), args: parseInput(part.input), input: part.input }
      : [],
  )

/** A call as it is stored: its arguments are always the JSON of an object. `asGiven` keeps the model's own writing. */
export const storedCall = ({ id, name, args, input }: Call, asGiven: boolean): StoredCall => ({
  id,
  type: 'function',
  function: { name, arguments: asGiven && args && input.trim() ? input : spacedJson(args ?? {}) },
})

function contentOf(part: ModelPart): ContentPart[] {
  if (part.type === 'tool-call') return []
  if (part.type === 'text') return part.text === '' ? [] : [{ type: 'text', text: part.text }]
  const { signature, redactedData } = (part.providerOptions?.anthropic ?? {}) as Record<string, string | undefined>
  if (redactedData) return [{ type: 'redacted_reasoning', data: redactedData }]
  if (part.text === '') return [{ type: 'omitted_reasoning', ...(signature && { signature }) }]
  return [{ type: 'reasoning', is_native: true, reasoning: part.text, ...(signature && { signature }) }]
}

/** The content of an answer, without its calls. */
export const contentIn = ({ parts }: ModelOutput): ContentPart[] => parts.flatMap(contentOf)

/** The parts to send back to the same model, with the metadata as it came. Arguments are objects here. */
export const modelPartsOf = ({ parts }: ModelOutput, provider: string, model: string): ModelParts => ({
  provider,
  model,
  parts: parts.map((part) =>
    part.type === 'tool-call'
      ? { ...part, toolName: cleanName(part.toolName), input: parseInput(part.input) ?? {} }
      : part,
  ),
})

/**
 * The ids of the rows of a step. Those of its two messages differ in the last bit, so that parts of either bear the same
 * `otid`: while a model writes, nobody knows yet in which row its text will lie.
 */
export function newStepIds(runId: string) {
  const id = newId('message')
  const last = Number.parseInt(id.slice(-1), 16)
  const withLast = (digit: number) => id.slice(0, -1) + digit.toString(16)
  return { runId, stepId: newId('step'), messageId: withLast(last & ~1), approvalId: withLast(last | 1) }
}
