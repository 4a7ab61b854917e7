import type { FastifyBaseLogger } from 'fastify'
import { sql } from 'kysely'
import type { Database } from '../db/engine/database.ts'
import { deleteExpiredResponses } from '../db/idempotency-store.ts'
import { correctJobTimes } from '../db/job-times.ts'
import { sweepRuns } from './sweep-runs.ts'

const EVERY_MS = 60_000

/** Lets an embedded database reuse its write-ahead log, which would grow for ever: no process of its own does it. */
async function checkpoint({ engine, kysely }: Database): Promise<void> {
  if (engine === 'embedded') await sql`checkpoint`.execute(kysely)
}

/**
 * Deletes expired idempotency responses and what runs leave for a time, corrects the times of jobs and writes a checkpoint every minute. The returned
 * function stops the sweeps, and waits for a running one.
 */
export function startSweeping(database: Database, logger: FastifyBaseLogger, traceDays: number): () => Promise<void> {
  let sweeping = Promise.resolve()
  const sweep = () => {
    sweeping = sweeping
      .then(() => deleteExpiredResponses(database))
      .then(() => sweepRuns(database, traceDays))
      .then(() => correctJobTimes(database))
      .then(() => checkpoint(database))
      // The next sweep comes in a minute.
      .catch((error) => logger.warn({ err: error }, 'the sweep of the database failed'))
  }
  const timer = setInterval(sweep, EVERY_MS).unref()
  return async () => {
    clearInterval(timer)
    await sweeping
  }
}
