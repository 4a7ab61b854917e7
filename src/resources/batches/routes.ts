import { Type } from 'typebox'
import { operationsOf } from '../../http/operation.ts'
import type { App } from '../../http/server.ts'
import { ApiError, invalid } from '../../lib/errors.ts'
import { Ref } from '../../lib/wire.ts'
import { cancelRuns } from '../../runtime/cancel.ts'
import { runRequest } from '../../runtime/request.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import type { BatchRequest } from '../messages/body.ts'
import { activeRuns, createBatch, endBatch, listBatchMessages, type NewRequest } from './batches.ts'
import { Batch, BatchMessages, BatchParams, batches, CreateBatch, ListBatches, ListBatchMessages } from './schema.ts'

const params = BatchParams
const one = { 200: Ref(Batch) }

/** The largest body of a batch, in largest bodies of other requests. */
const BODIES = 4

const operations = operationsOf('batches', {
  list_batches: ['List batches, newest first', { querystring: ListBatches, response: { 200: Type.Array(Ref(Batch)) } }],
  create_batch: [
    'Send messages to many agents in the background: each request begins a run of its agent',
    { body: CreateBatch, response: one },
    { right: 'run' },
  ],
  retrieve_batch: ['Retrieve a batch', { params, response: one }],
  list_messages_for_batch: [
    'List the messages of the runs of a batch, newest first, as they are stored',
    { params, querystring: ListBatchMessages, response: { 200: BatchMessages } },
  ],
  cancel_batch: [
    'Cancel a batch: requests that wait, and runs that are carried out',
    { params, response: one },
    { right: 'run' },
  ],
})

/** The request of a run, without the ids of its messages: two requests with one id would be one. 422, 400. */
function newRequest({ agent_id, ...body }: BatchRequest, position: number): NewRequest {
  try {
    const request = runRequest(body)
    return { agent_id, request, groups: (body.messages ?? []).flatMap(({ group_id }) => group_id ?? []) }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const place = `requests[${position}]`
    if (!error.issues) throw new ApiError(error.code, `${place}.${error.message}`)
    throw invalid(...error.issues.map((issue) => ({ ...issue, field: `${place}.${issue.field}` })))
  }
}

/** `/v1/messages/batches`. `bodyLimit`: the largest body of other requests, in bytes. */
export const batchRoutes = (runtime: Runtime, bodyLimit: number) => async (app: App) => {
  app.get('/', operations.list_batches, ({ scope, query }) => scope.list(batches, query))

  app.post('/', { ...operations.create_batch, bodyLimit: BODIES * bodyLimit }, ({ scope, body }) =>
    createBatch(scope, body.callback_url, body.requests.map(newRequest)),
  )

  app.get('/:batch_id', operations.retrieve_batch, ({ scope, params }) => scope.retrieve(batches, params.batch_id))

  app.get('/:batch_id/messages', operations.list_messages_for_batch, ({ scope, params, query }) =>
    listBatchMessages(scope, params.batch_id, query),
  )

  app.patch('/:batch_id/cancel', operations.cancel_batch, async ({ scope, params }) => {
    await endBatch(scope, params.batch_id, 'cancelled')
    for (const { id, agent_id } of await activeRuns(scope, params.batch_id)) {
      await cancelRuns(runtime, scope, { agentId: agent_id, threadId: agent_id }, [id])
    }
    return scope.get(batches, params.batch_id)
  })
}
