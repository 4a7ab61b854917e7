import type { FastifyBaseLogger } from 'fastify'
import { fireSchedules, type PlannedServices } from './fire-schedules.ts'

/** Begins the runs that no request begins. */
export interface PlannedRuns {
  /** Looks for them every second, until `stop`. */
  start(): void
  /** Begins the runs that are due at an instant. */
  beginDue(now?: Date): Promise<void>
  /** Waits for those that are being begun. */
  stop(): Promise<void>
}

const EVERY_MS = 1_000

/** Creates what begins planned runs. Servers on one database share the work: each run is begun once. */
export function createPlannedRuns(services: PlannedServices, logger: FastifyBaseLogger): PlannedRuns {
  let timer: NodeJS.Timeout | undefined
  let looking = Promise.resolve()
  const report = (error: unknown) => logger.warn({ err: error }, 'planned runs can not be begun')
  const beginDue = (now = new Date()) => fireSchedules(services, now, report)
  const look = () => {
    // The next look comes in a second.
    looking = beginDue().catch(report)
    looking.finally(() => timer?.refresh())
  }
  return {
    start() {
      timer = setTimeout(look, EVERY_MS).unref()
    },
    beginDue,
    async stop() {
      clearTimeout(timer)
      timer = undefined
      await looking
    },
  }
}
