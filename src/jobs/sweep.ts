import type { FastifyBaseLogger } from 'fastify'
import type { Database } from '../db/engine/database.ts'
import { sweepAnswers } from '../db/idempotency-store.ts'

const EVERY_MS = 60_000

/** Deletes, every minute, what is kept for a time that is over. Returns what ends it, and waits for it. */
export function startSweeping(database: Database, logger: FastifyBaseLogger): () => Promise<void> {
  let sweeping = Promise.resolve()
  const sweep = () => {
    sweeping = sweeping
      .then(() => sweepAnswers(database))
      // The next one comes in a minute.
      .catch((error) => logger.warn({ err: error }, 'answers whose time is over could not be deleted'))
  }
  const timer = setInterval(sweep, EVERY_MS).unref()
  return async () => {
    clearInterval(timer)
    await sweeping
  }
}
