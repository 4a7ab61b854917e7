import { type Static, Type } from 'typebox'
import { Create, Id, Instant, Int, List, MAX_ITEMS, OneOf, Patch, Ref, Text } from '../../lib/wire.ts'
import { CreateBlock } from '../blocks/schema.ts'
import { MessageCreate } from '../messages/body.ts'
import { PendingRequestMessage, StopReason } from '../messages/schema.ts'
import { Handle } from '../models/schema.ts'
import { AGENT_TYPES, settings } from './schema.ts'

const idsOf = (...parameters: Parameters<typeof Id>) => List(Id(...parameters))
export const Variables = Type.Record(Type.String(), Text(), {
  maxProperties: MAX_ITEMS,
  propertyNames: { minLength: 1, maxLength: 500 },
})

/** The fields that set a part of the configuration of the agent's models. */
export const modelFields = {
  context_window_limit: Int({ minimum: 1 }),
  embedding_chunk_size: Int({ minimum: 1 }),
  max_tokens: Int({ minimum: 1 }),
  max_reasoning_tokens: Int(),
  enable_reasoner: Type.Boolean(),
  reasoning: Type.Boolean(),
  parallel_tool_calls: Type.Boolean(),
}

/** The fields that a creation sets and a patch changes. */
const changeable = {
  ...settings,
  model: Handle,
  embedding: Handle,
  block_ids: idsOf('block'),
  tool_ids: idsOf('tool'),
  folder_ids: idsOf('source'),
  source_ids: List(Id('source'), { description: 'Deprecated: use folder_ids.' }),
  identity_ids: idsOf('identity'),
  secrets: Variables,
  tool_exec_environment_variables: { ...Variables, description: 'Deprecated: use secrets.' } as typeof Variables,
  ...modelFields,
}

export const CreateAgent = Create({
  ...changeable,
  agent_type: OneOf(AGENT_TYPES),
  memory_blocks: List(CreateBlock),
  tools: List(Type.String(), { description: 'Tools by name.' }),
  include_base_tools: Type.Boolean({ description: "The tools of the agent's type. Default true." }),
  include_multi_agent_tools: Type.Boolean(),
  include_base_tool_rules: Type.Boolean(),
  include_default_source: Type.Boolean({ description: 'Deprecated: makes and attaches a folder.' }),
  initial_message_sequence: List(MessageCreate),
})
export type CreateAgent = Static<typeof CreateAgent>

export const UpdateAgent = Patch(
  {
    ...changeable,
    message_ids: List(Id('message'), { maxItems: 10_000 }),
    pending_approval: Ref(PendingRequestMessage),
    last_run_completion: Instant(),
    last_run_duration_ms: Int(),
    last_stop_reason: StopReason,
  },
  ['name', 'system', 'llm_config'],
)
export type UpdateAgent = Static<typeof UpdateAgent>
