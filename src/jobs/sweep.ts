import type { FastifyBaseLogger } from 'fastify'
import type { Database } from '../db/engine/database.ts'
import { deleteExpiredResponses } from '../db/idempotency-store.ts'
import { correctJobTimes } from '../db/job-times.ts'

const EVERY_MS = 60_000

/**
 * Deletes expired idempotency responses and corrects the times of jobs every minute. The returned function stops the sweeps, and waits for a running
 * one.
 */
export function startSweeping(database: Database, logger: FastifyBaseLogger): () => Promise<void> {
  let sweeping = Promise.resolve()
  const sweep = () => {
    sweeping = sweeping
      .then(() => deleteExpiredResponses(database))
      .then(() => correctJobTimes(database))
      // The next sweep comes in a minute.
      .catch((error) => logger.warn({ err: error }, 'the sweep of expired responses and of job times failed'))
  }
  const timer = setInterval(sweep, EVERY_MS).unref()
  return async () => {
    clearInterval(timer)
    await sweeping
  }
}
