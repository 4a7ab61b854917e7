import { type Kysely, sql } from 'kysely'
import { type Context, withRetry } from './context.ts'
import type { Database, TransactionOptions } from './engine/database.ts'
import type { Jobs, Queue } from './jobs.ts'
import { isRetryable, toApiError } from './pg-errors.ts'
import type { Tables } from './tables.ts'

/** An open transaction, and the queues to which it has added jobs. */
export interface Transaction {
  trx: Kysely<Tables>
  queues: Set<Queue>
}

/** Runs `work` in a transaction of its own, and wakes the workers of the queues to which it has added jobs. */
export async function runTransaction<T>(
  { database, jobs }: { database: Database; jobs?: Jobs | undefined },
  work: (transaction: Transaction) => Promise<T>,
  options?: TransactionOptions,
): Promise<T> {
  const queues = new Set<Queue>()
  const result = await withRetry(() => database.transaction((trx) => work({ trx, queues }), options))
  for (const queue of queues) jobs?.wake(queue)
  return result
}

/**
 * Runs `work` so that the caller can go on after its failure: inside a transaction, a failure undoes the changes of `work`
 * and nothing else. A serialization failure ends the transaction all the same.
 */
export async function savepoint<T>({ trx }: Context, work: () => Promise<T>): Promise<T> {
  if (!trx) return work()
  await sql`savepoint work`.execute(trx)
  try {
    const result = await work()
    await sql`release savepoint work`.execute(trx)
    return result
  } catch (error) {
    await sql`rollback to savepoint work`.execute(trx)
    throw isRetryable(error) ? error : toApiError(error)
  }
}
