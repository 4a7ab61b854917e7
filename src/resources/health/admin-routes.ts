import { Type } from 'typebox'
import type { Jobs } from '../../db/jobs.ts'
import { refuseLetta } from '../../http/letta.ts'
import { operationsOf } from '../../http/operation.ts'
import type { App } from '../../http/server.ts'
import { NoContent, Ref } from '../../lib/wire.ts'
import { requireOperator } from '../organizations/access.ts'
import { listFailedJobs, retryFailedJob } from './failed-jobs.ts'
import { FailedJob, FailedJobParams, ListFailedJobs, ServerHealth } from './schema.ts'
import { type HealthSources, reportHealth } from './server-health.ts'

const config = { right: 'admin' } as const

const operations = operationsOf('admin', {
  retrieve_server_health: [
    'Report the state of the server: engine, connections, background work, disk, requests, last failures',
    { response: { 200: Ref(ServerHealth) } },
    config,
  ],
  list_failed_jobs: [
    'List the background work that has failed within a day, in all organizations, the last failure first',
    { querystring: ListFailedJobs, response: { 200: Type.Array(Ref(FailedJob)) } },
    config,
  ],
  retry_failed_job: [
    'Try failed background work once more',
    { params: FailedJobParams, response: { 204: NoContent } },
    // The library of the jobs changes the row by a connection of its own; a repeated request changes nothing.
    { ...config, idempotency: 'row' },
  ],
})

/** `/v1/admin`: the server itself, for the organization that operates it. */
export const serverAdminRoutes = (sources: HealthSources & { jobs: Jobs }) => async (app: App) => {
  app.addHook('onRequest', refuseLetta)

  app.get('/health', operations.retrieve_server_health, ({ scope }) => {
    requireOperator(scope, 'see its state')
    return reportHealth(scope, sources)
  })

  app.get('/failed-jobs/', operations.list_failed_jobs, ({ scope, query }) => {
    requireOperator(scope, 'see failed jobs')
    return listFailedJobs(scope, query)
  })

  app.post('/failed-jobs/:job_id/retry', operations.retry_failed_job, ({ scope, params }) => {
    requireOperator(scope, 'retry failed jobs')
    return retryFailedJob(scope, sources.jobs, params.job_id)
  })
}
