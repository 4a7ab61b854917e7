import type { LlmConfig } from '../models/schema.ts'
import type { TemplateSnapshot } from './snapshot-schema.ts'

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
