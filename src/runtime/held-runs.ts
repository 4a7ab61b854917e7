import type { FastifyBaseLogger } from 'fastify'
import { createEventLog } from './event-log.ts'
import { ping } from './frames.ts'
import type { RunOutcome } from './run-outcome.ts'

/** A run that this server carries out, or holds the caller of. */
export interface LocalRun {
  log: ReturnType<typeof createEventLog>
  /** Resolves when the run has ended here; with undefined when another server carries it on. */
  done: Promise<RunOutcome | undefined>
  /** Aborted when the run is cancelled, or the server stops. */
  signal: AbortSignal
}

interface Held extends LocalRun {
  onWatch?: () => void
  isRunning: boolean
  abort: AbortController
  settle(outcome: RunOutcome | undefined): void
}

/** The runs of this server: those it carries out, and those that wait for their thread. */
export interface HeldRuns {
  readonly isClosing: boolean
  readonly isEmpty: boolean
  /** The ids of the runs that this server carries out, and of those that wait for their thread. */
  readonly running: string[]
  readonly waiting: string[]
  hold(id: string): void
  /** The run, now carried out here. Its events are numbered from `start`. */
  begin(id: string, start: number): LocalRun
  /** Ends a run here: its readers end, and its caller gets the outcome. */
  end(id: string, outcome: RunOutcome | undefined): void
  /** Sets what happens when a reader at another server waits for events of a run. */
  onWatch(id: string, react: () => void): void
  watch(id: string): void
  find(id: string): LocalRun | undefined
  isRunning(id: string): boolean
  abort(id: string, reason: Error): void
  /** Watches work to its end, which `close` awaits. Its error is logged. */
  work(work: Promise<unknown>): Promise<void>
  /** Aborts all runs, and awaits the work. */
  close(reason: Error): Promise<void>
}

function newHeld(id: string, start: number): Held {
  const { promise, resolve } = Promise.withResolvers<RunOutcome | undefined>()
  const abort = new AbortController()
  const log = createEventLog(start)
  log.push(ping(id))
  return { log, done: promise, signal: abort.signal, isRunning: false, abort, settle: resolve }
}

/** Creates the table of the runs of a server. */
export function createHeldRuns(logger: FastifyBaseLogger): HeldRuns {
  const runs = new Map<string, Held>()
  const working = new Set<Promise<unknown>>()
  let closing = false
  const hold = (id: string, start = 0): Held => {
    const known = runs.get(id) ?? newHeld(id, start)
    runs.set(id, known)
    return known
  }
  const end = (id: string, outcome: RunOutcome | undefined) => {
    const run = runs.get(id)
    runs.delete(id)
    run?.log.end(outcome !== undefined)
    run?.settle(outcome)
  }
  return {
    get isClosing() {
      return closing
    },
    get isEmpty() {
      return runs.size === 0
    },
    get running() {
      return [...runs].filter(([, run]) => run.isRunning).map(([id]) => id)
    },
    get waiting() {
      return [...runs].filter(([, run]) => !run.isRunning).map(([id]) => id)
    },
    hold,
    begin(id, start) {
      // A run that waited here may have begun at another server, which is gone: its events are read from the database first.
      if (runs.get(id)?.log.start !== start) end(id, undefined)
      const run = hold(id, start)
      run.isRunning = true
      return run
    },
    end,
    onWatch(id, react) {
      const run = runs.get(id)
      if (run) run.onWatch = react
    },
    watch: (id) => runs.get(id)?.onWatch?.(),
    find: (id) => runs.get(id),
    isRunning: (id) => runs.get(id)?.isRunning ?? false,
    abort: (id, reason) => runs.get(id)?.abort.abort(reason),
    async work(work) {
      const watched = work.catch((error) => logger.error({ err: error }, 'runs are not carried on'))
      working.add(watched)
      await watched
      working.delete(watched)
    },
    async close(reason) {
      closing = true
      for (const { abort } of runs.values()) abort.abort(reason)
      await Promise.all(working)
      for (const id of runs.keys()) end(id, undefined)
    },
  }
}
