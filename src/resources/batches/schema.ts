import { type Static, Type } from 'typebox'
import { defineResource, ORGANIZATION } from '../../db/resource.ts'
import { Closed, Create, Id, Instant, Int, JsonMap, List, OneOf, Page, Params, Query, Shape } from '../../lib/wire.ts'
import { BatchRequest, CallbackUrl } from '../messages/body.ts'
import { InternalMessage } from '../messages/schema.ts'

const { Optional } = Type

/** The requests of one batch, at most. */
const MAX_REQUESTS = 10_000

const RequestCounts = Closed({
  total: Int(),
  waiting: Int(),
  running: Int(),
  completed: Int(),
  failed: Int(),
  cancelled: Int({ description: 'Those of deleted agents count here, too.' }),
})

const RequestError = Closed({
  request: Int({ description: 'The place of the request in the batch, from 0.' }),
  agent_id: Id('agent'),
  message: Type.String(),
})

export const Batch = Shape('BatchJob', {
  id: Id('job'),
  status: OneOf(['created', 'running', 'completed', 'cancelled']),
  job_type: Type.Literal('batch'),
  request_counts: RequestCounts,
  errors: Optional(Type.Array(RequestError, { description: 'The first 100 requests that could begin no run.' })),
  metadata: Optional(JsonMap()),
  callback_url: Optional(Type.String()),
  callback_sent_at: Optional(Instant()),
  callback_status_code: Optional(Type.Integer()),
  callback_error: Optional(Type.String()),
  completed_at: Optional(Instant()),
  created_at: Instant(),
  updated_at: Instant(),
  created_by_id: Optional(Type.String()),
  last_updated_by_id: Optional(Type.String()),
})
export type Batch = Static<typeof Batch>

/** SQL of a batch's counts as they are now. Requests of which nothing is left were cancelled. */
const COUNTS = `(
  select json_build_object('total', batches.total, 'waiting', waiting, 'running', running, 'completed', completed,
    'failed', failed + refused, 'cancelled', batches.total - waiting - running - completed - failed - refused)
  from (select count(*) filter (where runs.status in ('created', 'running')) as running,
      count(*) filter (where runs.status = 'completed') as completed, count(*) filter (where runs.status = 'failed') as failed
    from runs where runs.organization_id = ${ORGANIZATION} and runs.batch_id = batches.id) as begun,
  (select count(*) filter (where error is null) as waiting, count(error) as refused from batch_requests
    where batch_requests.organization_id = ${ORGANIZATION} and batch_requests.batch_id = batches.id) as others)`

export const batches = defineResource<Batch>()(Batch, {
  table: 'batches',
  prefix: 'job',
  order: 'desc',
  json: ['metadata', 'request_counts', 'actor'],
  unlogged: ['actor'],
  computed: {
    job_type: `'batch'::text`,
    request_counts: `coalesce(batches.request_counts, ${COUNTS})`,
    errors: `(select json_agg(json_build_object('request', position, 'agent_id', agent_id, 'message', error) order by position)
      from (select position, agent_id, error from batch_requests where batch_requests.organization_id = ${ORGANIZATION}
        and batch_requests.batch_id = batches.id and error is not null order by position limit 100) as refused)`,
  },
})

export const CreateBatch = Create(
  { requests: List(BatchRequest, { minItems: 1, maxItems: MAX_REQUESTS }), callback_url: CallbackUrl },
  ['requests'],
)
export type CreateBatch = Static<typeof CreateBatch>

export const ListBatches = Query(Page('job'))

export const BatchParams = Params({ batch_id: Id('job') })

export const ListBatchMessages = Query({
  ...Page('message'),
  agent_id: Optional({ ...Id('agent'), description: 'Only messages of this agent.' }),
})
export type ListBatchMessages = Static<typeof ListBatchMessages>

export const BatchMessages = Closed({ messages: Type.Array(InternalMessage) })
