import { Type } from 'typebox'
import { operationsOf } from '../../http/operation.ts'
import type { App } from '../../http/server.ts'
import { callerGone, EventStream } from '../../http/sse.ts'
import { Ref } from '../../lib/wire.ts'
import { resumeRun } from '../../runtime/resume.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { RUN_EVENTS } from '../../runtime/send.ts'
import { Message, StreamEvent } from '../messages/schema.ts'
import { Step } from '../steps/schema.ts'
import { listStepsOf } from '../steps/steps.ts'
import { listRunMessages, listRuns, runMetrics, runUsage } from './runs.ts'
import {
  ListRunMessages,
  ListRunSteps,
  ListRuns,
  ResumeHeaders,
  ResumeRun,
  RetrieveRunTrace,
  Run,
  RunMetrics,
  RunParams,
  RunSpan,
  RunUsage,
  runs,
} from './schema.ts'
import { runTrace } from './trace.ts'

const params = RunParams
const list = { 200: Type.Array(Ref(Run)) }

const operations = operationsOf('runs', {
  list_runs: ['List runs, newest first', { querystring: ListRuns, response: list }],
  list_active_runs: [
    'List the runs that wait or are carried out',
    { querystring: ListRuns, response: list, deprecated: true },
  ],
  retrieve_run: ['Retrieve a run', { params, response: { 200: Ref(Run) } }],
  delete_run: ['Delete a run that has ended; its messages stay', { params, response: { 200: Ref(Run) } }],
  list_messages_for_run: [
    'List the messages of a run, oldest first',
    { params, querystring: ListRunMessages, response: { 200: Type.Array(Ref(Message)) } },
  ],
  retrieve_run_usage: ['Retrieve the tokens of a run', { params, response: { 200: Ref(RunUsage) } }],
  retrieve_metrics_for_run: ['Retrieve the times of a run', { params, response: { 200: Ref(RunMetrics) } }],
  list_steps_for_run: [
    'List the steps of a run, newest first',
    { params, querystring: ListRunSteps, response: { 200: Type.Array(Ref(Step)) } },
  ],
  retrieve_trace_for_run: [
    'Retrieve the work of a run as spans: its steps and its tools with their times',
    { params, querystring: RetrieveRunTrace, response: { 200: Type.Array(Ref(RunSpan)) } },
  ],
  retrieve_stream_for_run: [
    'Read the events of a run again, and those to come',
    { params, body: ResumeRun, headers: ResumeHeaders, response: { 200: EventStream(Ref(StreamEvent)) } },
    { idempotency: 'row', right: 'read', stream: RUN_EVENTS },
  ],
})

/** `/v1/runs` */
export const runRoutes = (runtime: Runtime) => async (app: App) => {
  app.get('/', operations.list_runs, ({ scope, query }) => listRuns(scope, query))

  app.get('/active', operations.list_active_runs, ({ scope, query }) => listRuns(scope, { ...query, active: true }))

  app.get('/:run_id', operations.retrieve_run, ({ scope, params }) => scope.retrieve(runs, params.run_id))

  app.delete('/:run_id', operations.delete_run, async ({ scope, params }) => {
    const deleted = await scope.retrieve(runs, params.run_id)
    await scope.remove(runs, params.run_id)
    return deleted
  })

  app.get('/:run_id/messages', operations.list_messages_for_run, ({ scope, params, query }) =>
    listRunMessages(scope, params.run_id, query),
  )

  app.get('/:run_id/usage', operations.retrieve_run_usage, ({ scope, params }) => runUsage(scope, params.run_id))

  app.get('/:run_id/metrics', operations.retrieve_metrics_for_run, ({ scope, params }) =>
    runMetrics(scope, params.run_id),
  )

  app.get('/:run_id/trace', operations.retrieve_trace_for_run, ({ scope, params, query }) =>
    runTrace(scope, params.run_id, query),
  )

  app.get('/:run_id/steps', operations.list_steps_for_run, ({ scope, params, query }) =>
    listStepsOf(scope, params.run_id, query),
  )

  app.post('/:run_id/stream', operations.retrieve_stream_for_run, ({ scope, params, body, headers }, reply) =>
    resumeRun(runtime, scope, params.run_id, {
      after: body?.starting_after ?? Number(headers['last-event-id'] ?? 0),
      pings: body?.include_pings ?? true,
      signal: callerGone(reply),
    }),
  )
}
