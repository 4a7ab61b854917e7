import { type RawBuilder, sql } from 'kysely'
import type { Scope } from '../db/scope.ts'
import type { Egress } from '../lib/egress.ts'
import { EgressError } from '../lib/egress-address.ts'
import type { Work } from './work.ts'

const TIMEOUT_MS = 10_000

/** The length of a stored error. */
const MAX_ERROR = 500

/** The rows with a callback: their table, and the columns that the receiver gets. */
interface Source {
  table: 'runs' | 'batches'
  columns: RawBuilder<unknown>
}

/** The row of a callback that is still to be sent. */
async function findEnded(scope: Scope, { table, columns }: Source, id: string) {
  const [ended] = await scope.query<{ callback_url: string } & Record<string, unknown>>(sql`
    select callback_url, ${columns} from ${sql.table(table)}
    where organization_id = ${scope.organizationId} and id = ${id} and callback_url is not null and callback_sent_at is null
      and completed_at is not null`)
  return ended
}

/** Notes how an attempt went. `sent`: the receiver has responded. */
const note = (
  scope: Scope,
  { table }: Source,
  id: string,
  { sent, status, error }: { sent: boolean; status?: number; error?: string },
) =>
  scope.query(sql`
    update ${sql.table(table)} set callback_sent_at = ${sent ? new Date().toISOString() : null}::timestamptz,
      callback_status_code = ${status ?? null}, callback_error = ${error?.slice(0, MAX_ERROR) ?? null}, version = version + 1
    where organization_id = ${scope.organizationId} and id = ${id} returning id`)

/** Whether the same callback may be taken later. */
const isTemporary = (status: number) => status >= 500 || status === 408 || status === 429

/**
 * Sends the end of a row to its `callback_url`. It is sent again until the receiver takes or refuses it, at least once: a receiver
 * may get it twice. An address that may not be reached is an error of the row.
 */
async function send(egress: Egress, source: Source, scope: Scope, id: string, signal: AbortSignal): Promise<void> {
  const found = await findEnded(scope, source, id)
  if (!found) return
  const { callback_url, ...ended } = found
  const request = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(ended),
    signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
  }
  try {
    const { status, ok, body } = await egress.fetch(callback_url, request)
    await body?.cancel()
    const error = `The receiver responded with ${status}.`
    if (isTemporary(status)) throw new Error(error)
    await note(scope, source, id, { sent: true, status, ...(!ok && { error }) })
  } catch (error) {
    await note(scope, source, id, { sent: false, error: (error as Error).message })
    if (!(error instanceof EgressError)) throw error
  }
}

const RUNS: Source = { table: 'runs', columns: sql`id as run_id, status, stop_reason, completed_at, metadata` }
const BATCHES: Source = { table: 'batches', columns: sql`id as job_id, status, completed_at` }

/** Sends `run_id`, `status`, `stop_reason`, `completed_at` and `metadata` of a run that is over. */
export const runCallback = (egress: Egress): Work<'run_callback'> => ({
  handler: (scope, { run_id }, signal) => send(egress, RUNS, scope, run_id, signal),
  concurrency: 4,
})

/** Sends `job_id`, `status` and `completed_at` of a batch that is over. */
export const batchCallback = (egress: Egress): Work<'batch_callback'> => ({
  handler: (scope, { batch_id }, signal) => send(egress, BATCHES, scope, batch_id, signal),
  concurrency: 4,
})
