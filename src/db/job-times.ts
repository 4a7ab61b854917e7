import { sql } from 'kysely'
import type { Database } from './engine/database.ts'

/** The longest pause before a job is retried, in seconds. */
export const MAX_RETRY_DELAY_S = 5 * 60

/**
 * Puts times of jobs that lie in the future back to the present. They were written while the database's clock ran ahead: until
 * the clock got there again, the jobs would neither run nor be retried. The pause before a retry stays.
 */
export async function correctJobTimes({ kysely, query }: Database): Promise<void> {
  const future = sql`now() + ${MAX_RETRY_DELAY_S} * interval '1.2 seconds'`
  const statement = sql`
    with waiting as (
      update jobs.job set start_after = now() where state < 'active' and start_after > ${future}
    ), running as (
      update jobs.job set started_on = least(started_on, now()), heartbeat_on = least(heartbeat_on, now())
      where state = 'active' and greatest(started_on, heartbeat_on) > ${future}
    )
    update jobs.queue set monitor_on = null, maintain_on = null where greatest(monitor_on, maintain_on) > ${future}`
  await query(statement.compile(kysely))
}
