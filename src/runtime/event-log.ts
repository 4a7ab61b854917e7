import type { StreamEvent } from '../resources/messages/schema.ts'

/** An event of a run with its number. Numbers rise; each belongs to one event of a run. */
export interface NumberedEvent {
  seq: number
  event: StreamEvent
}

/** Events in the form in which they are stored: one row for many. */
export interface Chunk {
  first: number
  last: number
  /** JSON of the numbered events. */
  data: string
}

/** The events of a run that this server carries out, for any number of readers. */
export interface EventLog {
  /** The number before the first event of this log. */
  readonly start: number
  /** The events in memory, oldest first. */
  readonly events: readonly NumberedEvent[]
  /** Whether the events are stored as well. */
  readonly isStored: boolean
  push(...events: StreamEvent[]): void
  /** The events that aren't stored yet, followed by `next`; undefined for none, and for a log that is not stored. */
  chunk(next?: readonly StreamEvent[]): Chunk | undefined
  /** Called when events have been stored. */
  onStored?: () => void
  /** Notes that a chunk is stored: of stored events, memory has the newest megabyte alone. */
  markStored(chunk: Chunk): void
  /** Ends the log. `isComplete`: with the end of its run. */
  end(isComplete: boolean): void
  /** Whether memory has every event after `after`. */
  reaches(after: number): boolean
  /** Whether the run has ended here, and has no event after `after`. */
  isOver(after: number): boolean
  /** The events after `after`, as they come. Ends with the log, with the signal, and where memory lacks the next event. */
  read(after: number, signal?: AbortSignal): AsyncGenerator<NumberedEvent>
}

/** The length of the stored events in memory, in characters of their JSON. */
const MAX_STORED = 1 << 20

/**
 * The numbers of one server's hold of a run. Another server that carries the run on begins beyond all of them: the server before
 * it may have sent events that it couldn't store.
 */
const NUMBERS_OF_HOLD = 1_000_000

/** The number before the first event of the hold with this fence, from 1. */
export const startOfHold = (fence: number) => Math.max(0, fence - 1) * NUMBERS_OF_HOLD

/** Creates a log whose first event has the number `start + 1`. */
export function createEventLog(start: number): EventLog & { isStored: boolean } {
  const events: NumberedEvent[] = []
  const chunks: Chunk[] = []
  let [dropped, stored, storedLength] = [start, start, 0]
  let state: 'open' | 'lost' | 'complete' = 'open'
  let changed = Promise.withResolvers<void>()
  const notify = () => {
    changed.resolve()
    changed = Promise.withResolvers()
  }
  const last = () => dropped + events.length
  const numbered = (list: readonly StreamEvent[]) => list.map((event, n) => ({ seq: last() + n + 1, event }))
  return {
    start,
    events,
    isStored: false,
    push(...list) {
      events.push(...numbered(list))
      notify()
    },
    chunk(next = []) {
      const open = [...events.slice(stored - dropped), ...numbered(next)]
      if (!this.isStored || open.length === 0) return undefined
      return { first: open[0]!.seq, last: open.at(-1)!.seq, data: JSON.stringify(open) }
    },
    markStored(chunk) {
      stored = Math.max(stored, chunk.last)
      storedLength += chunk.data.length
      chunks.push(chunk)
      while (storedLength > MAX_STORED && chunks.length > 1) {
        const oldest = chunks.shift()!
        storedLength -= oldest.data.length
        events.splice(0, oldest.last - dropped)
        dropped = Math.max(dropped, oldest.last)
      }
      this.onStored?.()
    },
    end(isComplete) {
      state = isComplete ? 'complete' : 'lost'
      notify()
    },
    reaches: (after) => after >= dropped,
    isOver: (after) => state === 'complete' && after >= last(),
    async *read(after, signal) {
      signal?.addEventListener('abort', notify, { once: true })
      try {
        for (let next = after + 1; !signal?.aborted && next > dropped; ) {
          const item = events[next - dropped - 1]
          if (item) {
            next = item.seq + 1
            yield item
          } else if (state !== 'open') return
          else await changed.promise
        }
      } finally {
        signal?.removeEventListener('abort', notify)
      }
    },
  }
}
