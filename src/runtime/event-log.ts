import type { StreamEvent } from '../resources/messages/schema.ts'

/** An event of a run, with its number from 1. */
export interface NumberedEvent {
  seq: number
  event: StreamEvent
}

/** The events of a run that this server carries out, for any number of readers. */
export interface EventLog {
  push(event: StreamEvent): void
  /** Ends the log: readers end behind the last event. */
  end(): void
  /** The events after `after`, as they come. Ends with the log, or when `signal` is aborted. */
  read(after: number, signal?: AbortSignal): AsyncGenerator<NumberedEvent>
}

/** A log of events. */
export function createEventLog(): EventLog & { events: readonly NumberedEvent[] } {
  const events: NumberedEvent[] = []
  let seq = 0
  let ended = false
  let wake: () => void = () => {}
  let changed = new Promise<void>((done) => {
    wake = done
  })
  const notify = () => {
    wake()
    changed = new Promise((done) => {
      wake = done
    })
  }
  return {
    events,
    push(event) {
      events.push({ seq: ++seq, event })
      notify()
    },
    end() {
      ended = true
      notify()
    },
    async *read(after, signal) {
      const aborted =
        signal && new Promise<void>((done) => signal.addEventListener('abort', () => done(), { once: true }))
      let next = events.findIndex((item) => item.seq > after)
      if (next === -1) next = events.length
      for (;;) {
        const waiting = changed
        while (next < events.length) {
          if (signal?.aborted) return
          yield events[next++]!
        }
        if (ended || signal?.aborted) return
        await (aborted ? Promise.race([waiting, aborted]) : waiting)
      }
    },
  }
}
