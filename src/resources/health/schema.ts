import { type Static, Type } from 'typebox'
import { Closed, Id, Instant, Int, JsonMap, Params, Query, Shape } from '../../lib/wire.ts'

const { Optional } = Type
const Count = () => Type.Integer({ minimum: 0 })

const requests = {
  requests: Count(),
  refused: Type.Integer({ description: 'Responses with a status from 400 to 499.' }),
  failed: Type.Integer({ description: 'Responses with a status from 500 on.' }),
}

/** The state of the server that responds, for its operator. */
export const ServerHealth = Shape('ServerHealth', {
  version: Type.String(),
  uptime_seconds: Count(),
  database: Closed({
    engine: Type.String({ description: '`embedded` or `postgres`.' }),
    version: Type.String({ description: 'The version of PostgreSQL.' }),
    connections: Closed({ used: Count(), idle: Count(), pending: Count() }),
  }),
  runs: Closed({ running: Count(), waiting: Count() }),
  jobs: Type.Array(
    Closed({ queue: Type.String(), ready: Count(), deferred: Count(), active: Count(), failed: Count() }),
    { description: 'Background work of all servers of the database, counted within the last 15 seconds.' },
  ),
  disk: Closed({ directory: Type.String(), free_bytes: Count(), total_bytes: Count() }),
  requests: Closed({
    last_minute: Closed(requests),
    last_hour: Type.Array(Closed({ at: Instant(), ...requests }), {
      description: 'Each minute of the last hour, the oldest first; the last one is still going on.',
    }),
    last_failures: Type.Array(
      Closed({
        at: Instant(),
        request_id: Type.String(),
        organization_id: Optional(Type.String()),
        method: Type.String(),
        route: Optional(Type.String()),
        status: Int(),
        error: Type.String(),
      }),
      { description: 'The last 50, the newest first. The log has more of each.' },
    ),
  }),
  sandbox: Closed({ kind: Type.String(), note: Type.String() }),
})
export type ServerHealth = Static<typeof ServerHealth>

const JobId = () => Type.String({ format: 'uuid' })

/** A job that was tried as often as its queue allows. It is deleted a day after its failure. */
export const FailedJob = Shape('FailedJob', {
  id: JobId(),
  queue: Type.String({ description: 'The kind of work.' }),
  organization_id: Id('org'),
  created_at: Instant(),
  failed_at: Instant(),
  tries: Int(),
  error: Optional(Type.String({ description: 'The last error.' })),
  data: JsonMap({ description: 'What the work is about.' }),
  retryable: Type.Boolean({ description: 'False where a retry would do nothing, as for a file whose upload is gone.' }),
})
export type FailedJob = Static<typeof FailedJob>

export const ListFailedJobs = Query({
  limit: Optional(Int({ minimum: 1, maximum: 200, description: 'How many at most: 1 to 200. Default 50.' })),
  after: Optional(Type.String({ maxLength: 36, description: 'The jobs that follow this id.' })),
  queue: Optional(Type.String({ maxLength: 100, description: 'Only jobs of this queue.' })),
})
export type ListFailedJobs = Static<typeof ListFailedJobs>

export const FailedJobParams = Params({ job_id: Type.String({ maxLength: 36 }) })
