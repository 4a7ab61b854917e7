import { streamEvents } from '../../../api/events.ts'
import type { Message } from '../../../api/generated.ts'
import { type Place, sendPath } from './conversation-id.ts'
import { backgroundRun, userMessage } from './send.ts'

/** A run that was begun before its conversation is shown, with the message that began it. */
export interface BegunRun {
  runId: string
  shown: Message
}

/** The name of a begun run among what was read. */
export const begunKey = (conversationId: string | undefined) => ['begun', conversationId]

/** Sends a text, and returns as soon as its run exists: the run goes on without a reader. */
export async function beginRun(place: Place, text: string): Promise<BegunRun | undefined> {
  const { request, shown } = userMessage(text)
  for await (const event of streamEvents(sendPath(place), backgroundRun([request]), new AbortController().signal)) {
    if ('run_id' in event && event.run_id) return { runId: event.run_id, shown }
  }
}
