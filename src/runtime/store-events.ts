import type { Scope } from '../db/scope.ts'
import { type OwnedRun, storeEvents } from './commit.ts'
import type { NumberedEvent } from './event-log.ts'

/** Events of a run are stored after this time. */
const FLUSH_MS = 500

/**
 * Stores the events of a run while they come, one row for many: for readers at other servers, and for later ones. Returns a
 * function that stores the rest. A lost row is no lost history: messages are stored by their steps.
 */
export function storeWhileRunning(scope: Scope, run: OwnedRun, events: readonly NumberedEvent[]): () => Promise<void> {
  let stored = 0
  let last = Promise.resolve()
  const flush = () => {
    const batch = events.slice(stored)
    stored = events.length
    if (batch.length > 0) last = last.then(() => storeEvents(scope, run, batch)).catch(() => {})
    return last
  }
  const timer = setInterval(flush, FLUSH_MS).unref()
  return () => {
    clearInterval(timer)
    return flush()
  }
}
