import { Type } from 'typebox'
import { operationsOf } from '../../http/operation.ts'
import type { App } from '../../http/server.ts'
import { Ref } from '../../lib/wire.ts'
import { listRuns } from './runs.ts'
import { ListRuns, Run, RunParams, runs } from './schema.ts'

const params = RunParams

const operations = operationsOf('runs', {
  list_runs: ['List runs, newest first', { querystring: ListRuns, response: { 200: Type.Array(Ref(Run)) } }],
  list_active_runs: [
    'List the runs that wait or are carried out',
    { querystring: ListRuns, response: { 200: Type.Array(Ref(Run)) }, deprecated: true },
  ],
  retrieve_run: ['Retrieve a run', { params, response: { 200: Ref(Run) } }],
})

/** `/v1/runs` */
export const runRoutes = async (app: App) => {
  app.get('/', operations.list_runs, ({ scope, query }) => listRuns(scope, query))

  app.get('/active', operations.list_active_runs, ({ scope, query }) => listRuns(scope, { ...query, active: true }))

  app.get('/:run_id', operations.retrieve_run, ({ scope, params }) => scope.retrieve(runs, params.run_id))
}
