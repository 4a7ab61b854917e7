import { sql } from 'kysely'
import type { Jobs, Queue } from '../../db/jobs.ts'
import { NEXT, type PageOf } from '../../db/marks.ts'
import type { Scope } from '../../db/scope.ts'
import { conflict, notFound } from '../../lib/errors.ts'
import type { FailedJob, ListFailedJobs } from './schema.ts'

/** Queues whose jobs, given up, have ended with an error of their resource: why a retry would do nothing. */
const FINAL: Readonly<Record<string, string>> = {
  process_file: 'The file has ended with an error, and its bytes are deleted: upload it again.',
}

/** The fields of a job's payload that name its origin rather than its work. */
const ORIGIN = ['organization_id', 'user_id', 'request_id']

const failed = sql`jobs.job where state = 'failed'`

/**
 * The failed jobs of all organizations, the last failure first. 404 for an unknown cursor. The caller checks that the scope
 * operates the server.
 */
export async function listFailedJobs(scope: Scope, { limit = 50, after, queue }: ListFailedJobs) {
  const rows = await scope.read<FailedJob & { error: string | null }>(sql`
    select id, name as queue, data ->> 'organization_id' as organization_id, created_on::timestamptz(3) as created_at,
      completed_on::timestamptz(3) as failed_at, retry_count + 1 as tries,
      coalesce(output ->> 'message', output -> 'value' ->> 'message', output::text) as error, data - ${ORIGIN}::text[] as data
    from ${failed} and data ? 'organization_id' ${queue === undefined ? sql`` : sql`and name = ${queue}`}
      ${after === undefined ? sql`` : sql`and (completed_on, id) < (select completed_on, id from ${failed} and id::text = ${after})`}
    order by completed_on desc, id desc limit ${limit + 1}`)
  if (rows.length === 0 && after !== undefined) await stateOf(scope, after)
  const page: PageOf<FailedJob> = rows.slice(0, limit).map(({ error, ...job }) => ({
    ...job,
    ...(error !== null && { error }),
    retryable: !Object.hasOwn(FINAL, job.queue),
  }))
  if (rows.length > limit) page[NEXT] = { after: page.at(-1)!.id }
  return page
}

/** The queue and the state of a job. 404. */
async function stateOf(scope: Scope, id: string) {
  const [job] = await scope.read<{ name: Queue; state: string }>(
    sql`select name, state from jobs.job where id::text = ${id}`,
  )
  if (!job) throw notFound('job', id)
  return job
}

/**
 * Has a failed job tried once more. A job that isn't failed any more stays as it is. 404; 409 where a retry would do nothing,
 * or another job does its work. The caller checks that the scope operates the server.
 */
export async function retryFailedJob(scope: Scope, jobs: Jobs, id: string): Promise<void> {
  const { name, state } = await stateOf(scope, id)
  if (state !== 'failed') return
  if (FINAL[name]) throw conflict(FINAL[name])
  if (!(await jobs.retry(name, id))) throw conflict('Another job that will be retried does the same work.')
}
