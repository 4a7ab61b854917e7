import { sql } from 'kysely'
import type { Scope } from '../db/scope.ts'
import type { Egress } from '../lib/egress.ts'
import { EgressError } from '../lib/egress-address.ts'
import type { Work } from './work.ts'

const TIMEOUT_MS = 10_000

/** The length of a stored error. */
const MAX_ERROR = 500

interface EndedRun {
  callback_url: string
  status: string
  stop_reason: string | null
  completed_at: string
  metadata: object | null
}

/** The run of a callback that is still to be sent. */
async function findRun(scope: Scope, id: string): Promise<EndedRun | undefined> {
  const [run] = await scope.query<EndedRun>(sql`
    select callback_url, status, stop_reason, completed_at, metadata from runs
    where organization_id = ${scope.organizationId} and id = ${id} and callback_url is not null and callback_sent_at is null
      and completed_at is not null`)
  return run
}

/** Notes how an attempt went. `sent`: the receiver has responded. */
const note = (scope: Scope, id: string, { sent, status, error }: { sent: boolean; status?: number; error?: string }) =>
  scope.query(sql`
    update runs set callback_sent_at = ${sent ? new Date().toISOString() : null}::timestamptz,
      callback_status_code = ${status ?? null}, callback_error = ${error?.slice(0, MAX_ERROR) ?? null}, version = version + 1
    where organization_id = ${scope.organizationId} and id = ${id} returning id`)

/** Whether the same callback may be taken later. */
const isTemporary = (status: number) => status >= 500 || status === 408 || status === 429

/**
 * Sends the end of a run to its `callback_url`: `run_id`, `status`, `stop_reason`, `completed_at` and `metadata`. It is sent again
 * until the receiver takes or refuses it, at least once: a receiver may get it twice. An address that may not be reached is an error.
 */
export const runCallback = (egress: Egress): Work<'run_callback'> => ({
  async handler(scope, { run_id }, signal) {
    const run = await findRun(scope, run_id)
    if (!run) return
    const { callback_url, ...ended } = run
    const request = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ run_id, ...ended }),
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    }
    try {
      const { status, ok, body } = await egress.fetch(callback_url, request)
      await body?.cancel()
      if (isTemporary(status)) throw new Error(`The receiver responded with ${status}.`)
      await note(scope, run_id, { sent: true, status, ...(!ok && { error: `The receiver responded with ${status}.` }) })
    } catch (error) {
      await note(scope, run_id, { sent: false, error: (error as Error).message })
      if (!(error instanceof EgressError)) throw error
    }
  },
  concurrency: 4,
})
