import { type Static, Type } from 'typebox'
import { Create, Int, JsonMap, Name, OrNull, Query, Ref, Shape, Text } from '../../../lib/wire.ts'
import { UsageStatistics } from '../../messages/schema.ts'
import { Handle } from '../../models/schema.ts'
import { CompactionSettings } from '../schema.ts'

const { Optional } = Type

const tokens = (of: string) => Int({ description: `Tokens of ${of}.` })

export const ContextOverview = Shape('ContextOverview', {
  context_window_size_max: Int({ description: 'Tokens that the window of the model holds.' }),
  context_window_size_current: tokens('all parts'),
  num_messages: Int({ description: 'Messages in context, the system prompt among them.' }),
  num_archival_memory: Int({ description: 'Passages of the archival memory.' }),
  num_recall_memory: Int({ description: 'Messages that are stored.' }),
  num_tokens_external_memory_summary: tokens('the numbers and times at the end of the system prompt'),
  external_memory_summary: Type.String(),
  num_tokens_system: tokens('the system prompt without its other sections'),
  system_prompt: Type.String(),
  num_tokens_core_memory: tokens('the memory blocks'),
  core_memory: Type.String(),
  num_tokens_memory_filesystem: Int({ description: 'Always 0.' }),
  memory_filesystem: Optional(Type.String()),
  num_tokens_tool_usage_rules: tokens('the tool rules'),
  tool_usage_rules: Optional(Type.String()),
  num_tokens_directories: tokens('the folders and files'),
  directories: Optional(Type.String()),
  num_tokens_summary_memory: tokens('the summary of earlier messages'),
  summary_memory: Optional(Type.String()),
  num_tokens_functions_definitions: tokens('the tools'),
  functions_definitions: Type.Array(JsonMap()),
  num_tokens_messages: tokens('the messages'),
  messages: Type.Array(JsonMap()),
  tokenizer: Type.String({ description: 'The tokenizer that counts: models of other makers count otherwise.' }),
  num_tokens_reported: Optional(Int({ description: 'Tokens of the latest prompt by the count of its model.' })),
})

export const RetrieveContext = Query({
  conversation_id: Optional(Name({ description: 'Of this conversation; `default`: of the agent itself.' })),
})

export const Recompile = Query({
  dry_run: Optional(Type.Boolean({ description: 'Stores nothing.' })),
  update_timestamp: Optional(Type.Boolean({ description: 'The prompt names the present as its time.' })),
})

export const ResetMessages = OrNull(
  Create({
    add_default_initial_messages: Type.Boolean({
      description: 'Begins with the messages of a new agent of this type.',
    }),
  }),
)

export const SummarizeMessages = OrNull(Create({ compaction_settings: Ref(CompactionSettings) }))

export const SummarizedMessages = Shape('SummarizedMessages', {
  summary: Type.String(),
  num_messages_before: Int({ description: 'Messages in context before, the system prompt among them.' }),
  num_messages_after: Int(),
})

export const Generate = Create(
  {
    prompt: Text({ minLength: 1 }),
    system_prompt: Text(),
    override_model: { ...Handle, description: 'Instead of the model of the agent.' },
    response_schema: JsonMap({ description: 'A JSON Schema: `content` is the JSON of an object that follows it.' }),
  },
  ['prompt'],
)

export const Generated = Shape('Generated', {
  content: Type.String(),
  model: Name(),
  usage: Ref(UsageStatistics),
})
export type Generated = Static<typeof Generated>
