import { newId } from '../lib/ids.ts'
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
