import type { OwnedRow } from '../../db/tables.ts'
import type { StopReason } from '../messages/schema.ts'

export interface StepRow extends OwnedRow {
  run_id: string | null
  agent_id: string | null
  status: 'pending' | 'success' | 'failed' | 'cancelled'
  /** `model`: a call without an answer that counts; `summary`: one that summarized. Neither counts as a step of its run. */
  phase: 'model' | 'tools' | 'done' | 'summary'
  answer: unknown
  provider_id: string | null
  provider_name: string | null
  provider_category: string | null
  model: string | null
  model_handle: string | null
  model_endpoint: string | null
  context_window_limit: number | null
  prompt_tokens: number | null
  completion_tokens: number | null
  total_tokens: number | null
  cached_input_tokens: number | null
  cache_write_tokens: number | null
  reasoning_tokens: number | null
  cost: number | null
  stop_reason: StopReason | null
  tags: string[]
  trace_id: string | null
  request_id: string | null
  feedback: 'positive' | 'negative' | null
  project_id: string | null
  error_type: string | null
  error_data: Record<string, unknown> | null
  started_at: string
  llm_request_ns: number | null
  tool_execution_ns: number | null
  step_ns: number | null
}

declare module '../../db/tables.ts' {
  interface Tables {
    steps: StepRow
  }
}
