import type { LanguageModelV4CallOptions } from '@ai-sdk/provider'
import type { Format } from './response-format.ts'

/** How hard a model thinks. */
export type Effort = NonNullable<LanguageModelV4CallOptions['reasoning']> | 'max'

/** The fields of a model's configuration that its calls depend on. */
export interface Configured {
  temperature?: number | undefined
  max_tokens?: number | undefined
  frequency_penalty?: number | undefined
  enable_reasoner?: boolean | undefined
  max_reasoning_tokens?: number | undefined
  reasoning_effort?: Effort | undefined
  effort?: Effort | undefined
  verbosity?: string | undefined
  response_format?: Format | undefined
  strict?: boolean | undefined
}

/** The fields of all variants of settings: each of them holds for a model of any provider that has the like. */
export interface Settings {
  provider_type?: string
  temperature?: number
  max_output_tokens?: number
  effort?: Effort
  verbosity?: string
  reasoning?: { reasoning_effort?: Effort }
  response_format?: Format
  response_schema?: Format
  strict?: boolean
  thinking?: { type?: 'enabled' | 'disabled'; budget_tokens?: number; clear_thinking?: boolean }
  thinking_config?: { include_thoughts?: boolean; thinking_budget?: number }
}
