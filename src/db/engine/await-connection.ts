import { setTimeout } from 'node:timers/promises'
import { isUnsent } from '../pg-errors.ts'
import type { Database } from './database.ts'

const MAX_WAIT_MS = 30_000
const PAUSE_MS = 500

async function withConnection<T>(work: () => Promise<T>): Promise<T> {
  const until = performance.now() + MAX_WAIT_MS
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!isUnsent(error) || performance.now() > until) throw error
      await setTimeout(PAUSE_MS)
    }
  }
}

/**
 * A database whose statements and transactions wait up to 30 seconds for a connection, where those of requests fail after five:
 * work that goes on by itself has no caller who could try again.
 */
export const awaitingConnections = (database: Database): Database => ({
  ...database,
  query: (statement) => withConnection(() => database.query(statement)),
  read: (statement) => withConnection(() => database.read(statement)),
  search: (statement, signal) => withConnection(() => database.search(statement, signal)),
  change: (statement) => withConnection(() => database.change(statement)),
  transaction: (work, options) => withConnection(() => database.transaction(work, options)),
})
