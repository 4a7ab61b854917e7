import { type Static, Type } from 'typebox'
import { Closed, Id, Int, List, Name, OneOf, OrNull, Ref, Strict, Text } from '../../lib/wire.ts'
import { AGENT_TYPES, settings } from '../agents/schema.ts'
import { ToolRule } from '../agents/tool-rules.ts'
import type { LlmConfig } from '../models/schema.ts'

/** The optional settings of an agent in a snapshot. */
export type Properties = NonNullable<TemplateSnapshot['agents'][number]['properties']>

/** The properties that are fields of the model's configuration, by the names of those fields. */
export const OF_MODEL = {
  enable_reasoner: 'enable_reasoner',
  put_inner_thoughts_in_kwargs: 'put_inner_thoughts_in_kwargs',
  context_window_limit: 'context_window',
  max_tokens: 'max_tokens',
  max_reasoning_tokens: 'max_reasoning_tokens',
  verbosity_level: 'verbosity',
  reasoning_effort: 'reasoning_effort',
  parallel_tool_calls: 'parallel_tool_calls',
  temperature: 'temperature',
} as const satisfies Partial<Record<keyof Properties, keyof LlmConfig>>

/** The properties that are settings of the agent. */
export const OF_AGENT = ['max_files_open', 'message_buffer_autoclear', 'per_file_view_window_char_limit'] as const

const { Optional } = Type

const VariableList = Closed({
  version: Type.Literal('1'),
  data: List(Closed({ key: Type.String(), defaultValue: Optional(OrNull(Type.String())), type: Type.String() })),
})

/** The settings of an agent that are optional in a snapshot. */
const PROPERTIES = {
  enable_reasoner: Type.Boolean(),
  put_inner_thoughts_in_kwargs: Type.Boolean(),
  context_window_limit: Int({ minimum: 1 }),
  max_tokens: Int({ minimum: 1 }),
  max_reasoning_tokens: Int(),
  max_files_open: settings.max_files_open,
  message_buffer_autoclear: settings.message_buffer_autoclear,
  verbosity_level: OneOf(['low', 'medium', 'high']),
  reasoning_effort: OneOf(['none', 'minimal', 'low', 'medium', 'high', 'xhigh']),
  per_file_view_window_char_limit: settings.per_file_view_window_char_limit,
  parallel_tool_calls: Type.Boolean(),
  temperature: Type.Number(),
}

const SnapshotAgent = Strict({
  entityId: Name({ minLength: 1 }),
  name: settings.name,
  agentType: OneOf(AGENT_TYPES),
  model: settings.model,
  systemPrompt: Text(),
  tags: settings.tags,
  toolIds: List(Id('tool')),
  sourceIds: List(Id('source')),
  identityIds: List(Id('identity')),
  toolRules: List(Ref(ToolRule)),
  memoryVariables: VariableList,
  toolVariables: VariableList,
  properties: Strict(
    Object.fromEntries(Object.entries(PROPERTIES).map(([name, schema]) => [name, Optional(schema)])) as {
      [K in keyof typeof PROPERTIES]: Type.TOptional<(typeof PROPERTIES)[K]>
    },
  ),
})

const SnapshotBlock = Strict({
  entityId: Optional(Name({ minLength: 1, description: 'Made by the server for a new block.' })),
  label: Name({ minLength: 1 }),
  value: Text(),
  limit: Optional(Int()),
  description: Optional(Type.String()),
  preserveOnMigration: Optional(Type.Boolean()),
  readOnly: Optional(Type.Boolean()),
})

/** A version of a template in the form for editing. The template keeps fields that the form lacks. */
export const TemplateSnapshot = Strict(
  {
    type: Type.Literal('classic', { description: 'One agent, which is what templates hold.' }),
    version: Optional(Type.String({ description: 'The number of the version, or current.' })),
    agents: Type.Array(SnapshotAgent, { minItems: 1, maxItems: 1 }),
    blocks: List(SnapshotBlock),
    relationships: Optional(List(Strict({ agentEntityId: Type.String(), blockEntityId: Type.String() }))),
    configuration: Optional(Strict({})),
  },
  { $id: 'TemplateSnapshot' },
)
export type TemplateSnapshot = Static<typeof TemplateSnapshot>
