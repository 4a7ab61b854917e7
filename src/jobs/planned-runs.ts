import type { FastifyBaseLogger } from 'fastify'
import { fireSchedules, type PlannedServices } from './fire-schedules.ts'
import { advanceBatches } from './run-batches.ts'

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
  let isLooking = false
  let again = false
  const report = (error: unknown) => logger.warn({ err: error }, 'planned runs can not be begun')
  // The end of a run makes room for the next one of its batch.
  const lookAgain = () => {
    again = true
    if (timer && !isLooking) look()
  }
  const beginDue = async (now = new Date()) => {
    again = false
    await fireSchedules(services, now, report)
    await advanceBatches(services, lookAgain, report)
  }
  const look = () => {
    isLooking = true
    looking = beginDue()
      .catch(report)
      .finally(() => {
        isLooking = false
        if (timer && again) look()
        else timer?.refresh()
      })
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
