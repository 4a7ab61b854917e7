import { type Static, Type } from 'typebox'
import { defineResource } from '../../db/resource.ts'
import { FilterList, Id, Instant, JsonMap, Name, OneOf, Page, Params, Query } from '../../lib/wire.ts'
import { MESSAGE_TYPES, StopReason } from '../messages/schema.ts'
import { RUN_STATUSES } from './table.ts'

const { Optional } = Type

const RequestConfig = Type.Object(
  {
    use_assistant_message: Optional(Type.Boolean()),
    assistant_message_tool_name: Optional(Type.String()),
    assistant_message_tool_kwarg: Optional(Type.String()),
    include_return_message_types: Optional(Type.Array(OneOf(MESSAGE_TYPES))),
  },
  { additionalProperties: false },
)

export const Run = Type.Object(
  {
    id: Id('run'),
    agent_id: Type.String(),
    status: OneOf(RUN_STATUSES),
    created_at: Instant(),
    background: Optional(Type.Boolean()),
    base_template_id: Optional(Type.String()),
    callback_error: Optional(Type.String()),
    callback_sent_at: Optional(Instant()),
    callback_status_code: Optional(Type.Integer()),
    callback_url: Optional(Type.String()),
    completed_at: Optional(Instant()),
    conversation_id: Optional(Type.String()),
    metadata: Optional(JsonMap()),
    request_config: Optional(RequestConfig),
    stop_reason: Optional(StopReason),
    total_duration_ns: Optional(Type.Integer({ description: 'From the request to the end, in nanoseconds.' })),
    ttft_ns: Optional(Type.Integer({ description: 'Until the first token, in nanoseconds.' })),
  },
  { $id: 'Run', additionalProperties: false },
)
export type Run = Static<typeof Run>

export const runs = defineResource<Run>()(Run, {
  table: 'runs',
  prefix: 'run',
  order: 'desc',
  json: ['metadata', 'request_config'],
})

export const ListRuns = Query({
  ...Page('run'),
  agent_id: Optional(Id('agent')),
  agent_ids: Optional(FilterList(Id('agent'), { description: 'Deprecated: use agent_id.' })),
  statuses: Optional(FilterList(OneOf(RUN_STATUSES))),
  background: Optional(Type.Boolean()),
  stop_reason: Optional(StopReason),
  conversation_id: Optional(Name()),
  active: Optional(Type.Boolean({ description: 'Only runs that wait or are carried out.' })),
  ascending: Optional(Type.Boolean({ description: 'Deprecated: use order.' })),
})
export type ListRuns = Static<typeof ListRuns>

export const RunParams = Params({ run_id: Id('run') })
