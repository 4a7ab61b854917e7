import type { ModelDelta } from '../llm/model-output.ts'
import { type FanOut, partOtid } from '../resources/messages/fan-out.ts'
import type { StreamEvent } from '../resources/messages/schema.ts'
import { thoughtArguments } from './added-arguments.ts'
import { type ArgumentPiece, createArgumentSplitter } from './argument-splitter.ts'
import type { StepIds } from './frames.ts'

/** How the pieces of a model's answer become events. */
export interface FrameStyle extends FanOut {
  /** Whether calls have the thoughts of the model as an argument. */
  writesThoughts: boolean
  /** Whether a call of this tool waits for an approval. */
  waits(tool: string): boolean
}

/** A call while it comes in. */
interface OpenCall {
  waits: boolean
  /** Whether the readers see the call itself: an answer by a call is a message of its own. */
  isShown: boolean
  /** The name, until an event has shown it. */
  name: string | undefined
  split: ((delta: string) => ArgumentPiece[]) | undefined
}

function openCall(name: string, { writesThoughts, waits, assistantTool }: FrameStyle): OpenCall {
  const waiting = waits(name)
  const answer = !waiting && assistantTool?.name === name ? [assistantTool.argument] : []
  const apart = [...thoughtArguments(writesThoughts), ...answer]
  const split = apart.length > 0 ? createArgumentSplitter(apart) : undefined
  return { waits: waiting, isShown: answer.length === 0, name, split }
}

/** Makes events of the pieces of a model's answer: those that the stored messages give, in their order. */
export function createDeltaFrames(ids: StepIds, style: FrameStyle): (delta: ModelDelta) => StreamEvent[] {
  const { runId, stepId, messageId, approvalId } = ids
  const { textIsAnswer, assistantTool } = style
  const open = new Map<string, OpenCall>()
  let part = -1
  let kind = ''

  const frame = (message_type: string, fields: object, id = messageId): StreamEvent => {
    // Each change of the kind of message is a new part.
    const now = `${message_type} ${'source' in fields ? fields.source : ''}`
    if (now !== kind) part++
    kind = now
    const otid = id === approvalId ? id : partOtid(id, part)
    return { message_type, id, date: new Date().toISOString(), otid, step_id: stepId, run_id: runId, ...fields }
  }

  const answer = (content: string) => frame('assistant_message', { content })
  const thought = (reasoning: string) => frame('reasoning_message', { source: 'non_reasoner_model', reasoning })

  const call = (tool_call_id: string, fields: object, waits: boolean): StreamEvent => {
    const delta = { ...fields, tool_call_id }
    const calls = { tool_call: delta, tool_calls: delta }
    return waits ? frame('approval_request_message', calls, approvalId) : frame('tool_call_message', calls)
  }

  /** A piece of a call. The name comes before the first of its own arguments, behind the thoughts. */
  const callEvents = (id: string, current: OpenCall, { of, text }: ArgumentPiece): StreamEvent[] => {
    if (of !== undefined) return [of === assistantTool?.argument && !current.isShown ? answer(text) : thought(text)]
    if (!current.isShown) return []
    const { name, waits } = current
    current.name = undefined
    const named = name === undefined ? [] : [call(id, { name }, waits)]
    return text === '' ? named : [...named, call(id, { arguments: text }, waits)]
  }

  return (delta) => {
    switch (delta.type) {
      case 'text':
        return [textIsAnswer ? answer(delta.delta) : thought(delta.delta)]
      case 'reasoning':
        if (delta.delta.trim() === '') return []
        return [frame('reasoning_message', { source: 'reasoner_model', reasoning: delta.delta })]
      case 'call': {
        const current = openCall(delta.name, style)
        open.set(delta.id, current)
        return current.split ? [] : callEvents(delta.id, current, { text: '' })
      }
      case 'arguments': {
        const current = open.get(delta.id)
        const pieces = current?.split?.(delta.delta) ?? [{ text: delta.delta }]
        return current ? pieces.flatMap((piece) => callEvents(delta.id, current, piece)) : []
      }
    }
  }
}
