import { type Static, Type } from 'typebox'
import { defineResource } from '../../db/resource.ts'
import {
  Closed,
  FilterList,
  Id,
  Instant,
  Int,
  JsonMap,
  Name,
  OneOf,
  OrNull,
  Page,
  Params,
  Query,
  Shape,
  Strict,
} from '../../lib/wire.ts'
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
    agent_id: Type.String({ description: "The agent; of a group's own run, the group." }),
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
    group_id: Optional(Type.String({ description: 'The group that the run belongs to.' })),
    metadata: Optional(JsonMap()),
    parent_run_id: Optional(Type.String({ description: 'The run of the group that this run is part of.' })),
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
  computed: { agent_id: 'coalesce(runs.agent_id, runs.group_id)' },
})

export const ListRuns = Query({
  ...Page('run'),
  agent_id: Optional(Id('agent')),
  agent_ids: Optional(FilterList(Id('agent'), { description: 'Deprecated: use agent_id.' })),
  statuses: Optional(FilterList(OneOf(RUN_STATUSES))),
  background: Optional(Type.Boolean()),
  stop_reason: Optional(StopReason),
  conversation_id: Optional(Name({ description: 'Runs of this conversation; `default`: of none.' })),
  group_id: Optional(Id('group')),
  parent_run_id: Optional(Id('run')),
  start_date: Optional(Instant({ description: 'Runs from this instant on.' })),
  end_date: Optional(Instant({ description: 'Runs up to this instant.' })),
  active: Optional(Type.Boolean({ description: 'Only runs that wait or are carried out.' })),
  ascending: Optional(Type.Boolean({ description: 'Deprecated: use order.' })),
})
export type ListRuns = Static<typeof ListRuns>

export const RunParams = Params({ run_id: Id('run') })

/** The tokens of a run, in the form of OpenAI's usage. */
export const RunUsage = Shape('RunUsage', {
  completion_tokens: Int(),
  prompt_tokens: Int(),
  total_tokens: Int(),
  prompt_tokens_details: Optional(
    Closed({ cached_tokens: Int(), cache_read_tokens: Int(), cache_creation_tokens: Int() }),
  ),
  completion_tokens_details: Optional(Closed({ reasoning_tokens: Int() })),
  cost: Optional(Type.Number({ description: 'In US dollars, where the price of every step is known.' })),
})
export type RunUsage = Static<typeof RunUsage>

export const RunMetrics = Shape('RunMetrics', {
  id: Id('run'),
  agent_id: Optional(Type.String()),
  project_id: Optional(Type.String()),
  run_start_ns: Optional(Type.Integer()),
  run_ns: Optional(Type.Integer()),
  num_steps: Optional(Int()),
  organization_id: Optional(Type.String()),
  template_id: Optional(Type.String()),
  base_template_id: Optional(Type.String()),
  tools_used: Optional(Type.Array(Type.String({ description: 'The id of a tool.' }))),
})
export type RunMetrics = Static<typeof RunMetrics>

/** A part of the work of a run. */
export const RunSpan = Shape('RunSpan', {
  span_id: Type.String(),
  parent_span_id: Optional(Type.String()),
  trace_id: Optional(Type.String({ description: 'The trace of OpenTelemetry, where the server sends traces.' })),
  name: OneOf(['invoke_agent', 'time_to_first_token', 'agent_step', 'summarization', 'execute_tool']),
  start_time: Instant(),
  duration_ns: Optional(Type.Integer({ description: 'Absent while the work goes on.' })),
  status: OneOf(['ok', 'error', 'unset']),
  attributes: JsonMap(),
})
export type RunSpan = Static<typeof RunSpan>

export const RetrieveRunTrace = Query({
  limit: Optional(Type.Integer({ minimum: 1, maximum: 1_000, description: 'How many spans at most. Default 1000.' })),
})
export type RetrieveRunTrace = Static<typeof RetrieveRunTrace>

export const ListRunMessages = Query(Page('message'))
export type ListRunMessages = Static<typeof ListRunMessages>

export const ListRunSteps = Query(Page('step'))

/** Which events of a run are read again. */
export const resumeFields = {
  starting_after: Optional(Int({ description: 'The number of the last event that the reader has. Default 0.' })),
  include_pings: Optional(Type.Boolean({ description: 'Default true.' })),
  poll_interval: Optional(Type.Number({ description: 'Ignored: events come as they are made.' })),
  batch_size: Optional(Int({ description: 'Ignored: events come as they are made.' })),
}

/** Reads the events of a run again. */
export const ResumeRun = OrNull(Strict(resumeFields))

/** The header by which clients of event streams resume them (HTML standard, § 9.2.4). */
export const ResumeHeaders = Type.Object({
  'last-event-id': Optional(
    Type.String({ pattern: '^\\d{1,15}$', description: 'The number of the last event, where the body names none.' }),
  ),
})
