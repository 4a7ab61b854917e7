import { type Static, Type } from 'typebox'
import { defineResource } from '../../db/resource.ts'
import {
  FilterList,
  Id,
  Instant,
  Int,
  JsonMap,
  List,
  Name,
  OneOf,
  OrNull,
  Page,
  Params,
  Query,
  Ref,
  Shape,
  Strict,
} from '../../lib/wire.ts'
import { StopReason } from '../messages/schema.ts'
import { LlmConfig } from '../models/schema.ts'

const { Optional } = Type

const FEEDBACK = ['positive', 'negative'] as const

const TokenDetails = Type.Record(Type.String(), Int())

/** One call of a model, and the calls of tools that followed from it. */
export const Step = Shape('Step', {
  id: Id('step'),
  agent_id: Optional(Type.String()),
  run_id: Optional(Type.String()),
  organization_id: Optional(Type.String()),
  status: Optional(OneOf(['pending', 'success', 'failed', 'cancelled'])),
  provider_id: Optional(Type.String()),
  provider_name: Optional(Type.String()),
  provider_category: Optional(Type.String()),
  model: Optional(Type.String()),
  model_handle: Optional(Type.String()),
  model_endpoint: Optional(Type.String()),
  context_window_limit: Optional(Int()),
  prompt_tokens: Optional(Int()),
  completion_tokens: Optional(Int()),
  total_tokens: Optional(Int()),
  cached_input_tokens: Optional(Int()),
  cache_write_tokens: Optional(Int()),
  reasoning_tokens: Optional(Int()),
  cost: Optional(Type.Number({ description: 'In US dollars, where the price is known.' })),
  completion_tokens_details: Optional(TokenDetails),
  prompt_tokens_details: Optional(TokenDetails),
  stop_reason: Optional(StopReason),
  tags: Optional(
    Type.Array(Type.String({ description: 'A call that summarized messages bears the tag summarization.' })),
  ),
  trace_id: Optional(Type.String()),
  request_id: Optional(Type.String()),
  feedback: Optional(OneOf(FEEDBACK)),
  project_id: Optional(Type.String()),
  error_type: Optional(Type.String()),
  error_data: Optional(JsonMap()),
  origin: Optional(Type.String({ description: 'Deprecated: never set.' })),
  tid: Optional(Type.String({ description: 'Deprecated: never set.' })),
  messages: Optional(Type.Array(JsonMap(), { description: 'Deprecated: list the messages of the step.' })),
})
export type Step = Static<typeof Step>

export const steps = defineResource<Step>()(Step, {
  table: 'steps',
  prefix: 'step',
  order: 'desc',
  json: ['tags', 'error_data'],
  computed: {
    completion_tokens_details: `json_build_object('reasoning_tokens', coalesce(reasoning_tokens, 0))`,
    prompt_tokens_details: `json_build_object('cached_tokens', coalesce(cached_input_tokens, 0),
      'cache_read_tokens', coalesce(cached_input_tokens, 0), 'cache_creation_tokens', coalesce(cache_write_tokens, 0))`,
    origin: undefined,
    tid: undefined,
    messages: undefined,
  },
})

export const ListSteps = Query({
  ...Page('step'),
  agent_id: Optional(Id('agent')),
  model: Optional(Name()),
  feedback: Optional(OneOf(FEEDBACK)),
  has_feedback: Optional(Type.Boolean()),
  trace_ids: Optional(FilterList(Name())),
  tags: Optional(FilterList(Name(), { description: 'Steps with one of these tags.' })),
  project_id: Optional(Name()),
  start_date: Optional(Instant({ description: 'Steps from this instant on.' })),
  end_date: Optional(Instant({ description: 'Steps up to this instant.' })),
})
export type ListSteps = Static<typeof ListSteps>

export const StepFeedback = Strict({
  feedback: Optional(OrNull(OneOf(FEEDBACK))),
  tags: Optional(List(Name())),
})
export type StepFeedback = Static<typeof StepFeedback>

export const StepMetrics = Shape('StepMetrics', {
  id: Id('step'),
  agent_id: Optional(Type.String()),
  run_id: Optional(Type.String()),
  provider_id: Optional(Type.String()),
  project_id: Optional(Type.String()),
  step_start_ns: Optional(Type.Integer()),
  llm_request_start_ns: Optional(Type.Integer()),
  llm_request_ns: Optional(Type.Integer()),
  tool_execution_ns: Optional(Type.Integer()),
  step_ns: Optional(Type.Integer()),
  organization_id: Optional(Type.String()),
  template_id: Optional(Type.String()),
  base_template_id: Optional(Type.String()),
})
export type StepMetrics = Static<typeof StepMetrics>

export const ProviderTrace = Shape('ProviderTrace', {
  id: Id('provider_trace'),
  step_id: Type.String(),
  agent_id: Optional(Type.String()),
  run_id: Optional(Type.String()),
  call_type: Type.String(),
  request_json: Optional(JsonMap()),
  response_json: Optional(JsonMap()),
  llm_config: Optional(Ref(LlmConfig)),
  agent_tags: Optional(Type.Array(Type.String())),
  org_id: Optional(Type.String()),
  user_id: Optional(Type.String()),
  created_at: Instant(),
  updated_at: Optional(Instant()),
  created_by_id: Optional(Type.String()),
  last_updated_by_id: Optional(Type.String()),
  source: Optional(Type.String({ description: 'Deprecated: never set.' })),
  compaction_settings: Optional(JsonMap({ description: 'Deprecated: never set.' })),
  billing_context: Optional(JsonMap({ description: 'Deprecated: never set.' })),
})
export type ProviderTrace = Static<typeof ProviderTrace>

export const ListStepMessages = Query(Page('message'))

export const StepParams = Params({ step_id: Id('step') })
