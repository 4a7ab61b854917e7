import { newId } from '../lib/ids.ts'
import type { ModelDelta } from '../llm/model-output.ts'
import { partOtid } from '../resources/messages/fan-out.ts'
import type { StopReason, StreamEvent } from '../resources/messages/schema.ts'

/** The ids that the events of a step bear. */
export interface StepIds {
  runId: string
  stepId: string
  /** The message of the model, and the one that holds its calls that wait for an approval. */
  messageId: string
  approvalId: string
}

/** The event by which a stream begins. */
export const ping = (runId: string): StreamEvent => ({
  message_type: 'ping',
  id: newId('ping'),
  date: new Date().toISOString(),
  run_id: runId,
})

export const stopEvent = (stop_reason: StopReason): StreamEvent => ({ message_type: 'stop_reason', stop_reason })

/** The event of a failed run. `detail` is for developers. */
export const errorEvent = (run_id: string, error_type: string, message: string, detail: string): StreamEvent => ({
  message_type: 'error_message',
  run_id,
  error_type,
  message,
  detail,
})

/** Makes events of the pieces of a model's answer. `waits` tells the calls that wait for an approval. */
export function createDeltaFrames(ids: StepIds, waits: (tool: string) => boolean) {
  const { runId, stepId, messageId, approvalId } = ids
  const waiting = new Map<string, boolean>()
  let part = -1
  let kind = ''

  const frame = (message_type: string, fields: object, id = messageId): StreamEvent => {
    // Each change of the kind of message is a new part.
    if (message_type !== kind) part++
    kind = message_type
    const otid = id === approvalId ? id : partOtid(id, part)
    return { message_type, id, date: new Date().toISOString(), otid, step_id: stepId, run_id: runId, ...fields }
  }

  const call = (tool_call_id: string, fields: object): StreamEvent => {
    const delta = { ...fields, tool_call_id }
    return waiting.get(tool_call_id)
      ? frame('approval_request_message', { tool_call: delta, tool_calls: delta }, approvalId)
      : frame('tool_call_message', { tool_call: delta, tool_calls: delta })
  }

  return (delta: ModelDelta): StreamEvent | undefined => {
    switch (delta.type) {
      case 'text':
        return frame('assistant_message', { content: delta.delta })
      case 'reasoning':
        if (delta.delta.trim() === '') return undefined
        return frame('reasoning_message', { source: 'reasoner_model', reasoning: delta.delta })
      case 'call':
        waiting.set(delta.id, waits(delta.name))
        return call(delta.id, { name: delta.name })
      case 'arguments':
        return call(delta.id, { arguments: delta.delta })
    }
  }
}
