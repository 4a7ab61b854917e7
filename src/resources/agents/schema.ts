import { type Static, Type } from 'typebox'
import { defineResource, ORGANIZATION } from '../../db/resource.ts'
import { Id, Instant, Int, JsonMap, List, Name, OneOf, Params, Ref, Shape, Strict, Text } from '../../lib/wire.ts'
import { Block, FileBlock } from '../blocks/schema.ts'
import { Source } from '../folders/schema.ts'
import { Group } from '../groups/schema.ts'
import { Identity } from '../identities/schema.ts'
import { PendingRequestMessage, StopReason } from '../messages/schema.ts'
import { EmbeddingConfig, Handle, LlmConfig, ModelSettings, ResponseFormat } from '../models/schema.ts'
import { Tool } from '../tools/schema.ts'
import { ToolRule } from './tool-rules.ts'

const { Optional } = Type

export const AGENT_TYPES = [
  'mem_agent',
  'mem_v2_agent',
  'svc_v1_agent',
  'react_agent',
  'workflow_agent',
  'split_thread_agent',
  'sleeptime_agent',
  'voice_convo_agent',
  'voice_sleeptime_agent',
] as const
export type AgentType = (typeof AGENT_TYPES)[number]

/** The type of an agent whose body names none. */
export const DEFAULT_TYPE: AgentType = 'svc_v1_agent'

export const CompactionSettings = Strict(
  {
    clip_chars: Optional(Int({ description: 'Maximum length of a summary in characters.' })),
    mode: Optional(OneOf(['all', 'sliding_window', 'self_compact_all', 'self_compact_sliding_window'])),
    model: Optional({ ...Handle, description: 'The model that summarizes.' }),
    model_settings: Optional(Ref(ModelSettings)),
    prompt: Optional(Type.String()),
    prompt_acknowledgement: Optional(Type.Boolean()),
    sliding_window_percentage: Optional(
      Type.Number({ minimum: 0, maximum: 1, description: 'Share of the context window kept after summarization.' }),
    ),
  },
  { $id: 'CompactionSettings' },
)

/** A secret: an environment variable of the agent's tools. */
export const AgentEnvironmentVariable = Shape('AgentEnvironmentVariable', {
  agent_id: Id('agent'),
  key: Type.String({ description: 'Name of the variable.' }),
  value: Type.String({ description: 'Empty for keys without the `secrets` scope.' }),
  id: Optional(Id('agent-env')),
  created_at: Optional(Instant()),
  created_by_id: Optional(Type.String()),
  description: Optional(Type.String()),
  last_updated_by_id: Optional(Type.String()),
  updated_at: Optional(Instant()),
  value_enc: Optional(Type.String()),
})
export type AgentEnvironmentVariable = Static<typeof AgentEnvironmentVariable>

export const Memory = Shape('Memory', {
  blocks: Type.Array(Ref(Block)),
  agent_type: Optional(Type.String()),
  file_blocks: Optional(Type.Array(Ref(FileBlock))),
  git_enabled: Optional(Type.Boolean({ description: 'Git-backed memory with structured labels.' })),
  prompt_template: Optional(Type.String({ description: 'Deprecated: ignored.' })),
})
export type Memory = Static<typeof Memory>

/** Characters (code points) of the longest name an agent may have. */
export const MAX_NAME_LENGTH = 255

/** The fields of an agent that lie in its own row and can be set. */
export const settings = {
  name: Type.String({
    pattern: '^\\P{Cc}*$',
    title: 'text without control characters',
    minLength: 1,
    maxLength: MAX_NAME_LENGTH,
    description: 'Any text of 1 to 255 characters without control characters. Names are not unique.',
  }),
  system: Text({ description: 'System prompt.' }),
  tags: List(Name({ minLength: 1 })),
  compaction_settings: Ref(CompactionSettings),
  description: Text(),
  embedding: Type.String({ description: 'Embedding model handle, provider/model-name.' }),
  embedding_config: Ref(EmbeddingConfig),
  enable_sleeptime: Type.Boolean({ description: 'Memory is managed by a background agent.' }),
  hidden: Type.Boolean(),
  llm_config: Ref(LlmConfig),
  max_files_open: Int({ maximum: 1000 }),
  message_buffer_autoclear: Type.Boolean({
    description: 'The agent forgets previous messages, but keeps its blocks and its archive.',
  }),
  metadata: JsonMap(),
  model: Type.String({ description: 'Model handle, provider/model-name.' }),
  model_settings: Ref(ModelSettings),
  per_file_view_window_char_limit: Int(),
  project_id: Name(),
  response_format: Ref(ResponseFormat),
  timezone: Type.String({ description: 'IANA name.' }),
  tool_rules: List(Ref(ToolRule)),
  template_id: Name(),
  base_template_id: Name(),
  deployment_id: Name(),
  entity_id: Name(),
}

const optionalSettings = Type.Partial(Type.Object(settings)).properties

export const Agent = Shape('Agent', {
  id: Id('agent'),
  agent_type: OneOf(AGENT_TYPES),
  ...optionalSettings,
  name: Type.String(),
  system: Type.String(),
  tags: Type.Array(Type.String()),
  llm_config: Ref(LlmConfig),
  blocks: Type.Array(Ref(Block)),
  memory: Ref(Memory),
  sources: Type.Array(Ref(Source)),
  tools: Type.Array(Ref(Tool)),
  created_at: Optional(Instant()),
  created_by_id: Optional(Type.String()),
  updated_at: Optional(Instant()),
  last_updated_by_id: Optional(Type.String()),
  identities: Optional(Type.Array(Ref(Identity))),
  identity_ids: Optional(Type.Array(Type.String(), { description: 'Deprecated: use identities.' })),
  last_run_completion: Optional(Instant()),
  last_run_duration_ms: Optional(Int()),
  last_stop_reason: Optional(StopReason),
  managed_group: Optional(Ref(Group)),
  multi_agent_group: Optional(Ref(Group)),
  message_ids: Optional(Type.Array(Type.String())),
  pending_approval: Optional(Ref(PendingRequestMessage)),
  secrets: Optional(Type.Array(Ref(AgentEnvironmentVariable))),
  tool_exec_environment_variables: Optional(
    Type.Array(Ref(AgentEnvironmentVariable), { description: 'Deprecated: use secrets.' }),
  ),
})
export type Agent = Static<typeof Agent>

/** The optional fields that are attachments, or that are loaded only on request. */
export const OPTIONAL_RELATIONS = [
  'identities',
  'identity_ids',
  'managed_group',
  'multi_agent_group',
  'pending_approval',
  'secrets',
  'tool_exec_environment_variables',
] as const

/** All such fields. */
const RELATIONS = [...OPTIONAL_RELATIONS, 'blocks', 'memory', 'sources', 'tags', 'tools'] as const

/** The agent's own row: what every list and retrieval reads. */
export type AgentRowWire = Omit<Agent, (typeof RELATIONS)[number]>

const own = Object.fromEntries(
  Object.entries(Agent.properties).filter(([field]) => !RELATIONS.some((relation) => relation === field)),
)

export const agents = defineResource<AgentRowWire>()(
  { $id: 'Agent', properties: own },
  {
    table: 'agents',
    prefix: 'agent',
    order: 'desc',
    computed: {
      message_ids: `(select message_ids from threads where organization_id = ${ORGANIZATION} and id = agents.id)`,
    },
    nullableSortKeys: ['last_run_completion'],
    json: [
      'metadata',
      'llm_config',
      'model_settings',
      'compaction_settings',
      'response_format',
      'tool_rules',
      'memory_variables',
    ],
  },
)

export const AgentParams = Params({ agent_id: Id('agent') })
