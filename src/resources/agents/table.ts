import type { OwnedRow } from '../../db/tables.ts'
import type { EmbeddingConfig, LlmConfig } from '../models/schema.ts'
import type { AgentType, ApprovalRequestMessage } from './schema.ts'
import type { ToolRule } from './tool-rules.ts'

export interface AgentRow extends OwnedRow {
  name: string
  agent_type: AgentType
  description: string | null
  metadata: Record<string, unknown> | null
  system: string
  tags: string[]
  model: string | null
  llm_config: LlmConfig
  model_settings: Record<string, unknown> | null
  embedding: string | null
  embedding_config: EmbeddingConfig | null
  compaction_settings: Record<string, unknown> | null
  response_format: Record<string, unknown> | null
  tool_rules: ToolRule[] | null
  message_ids: string[]
  pending_approval: ApprovalRequestMessage | null
  message_buffer_autoclear: boolean
  enable_sleeptime: boolean | null
  timezone: string | null
  max_files_open: number | null
  per_file_view_window_char_limit: number | null
  hidden: boolean | null
  project_id: string | null
  template_id: string | null
  base_template_id: string | null
  deployment_id: string | null
  entity_id: string | null
  /** The variables that filled the blocks when a template made the agent. */
  memory_variables: Record<string, string> | null
  last_run_completion: string | null
  last_run_duration_ms: number | null
  last_stop_reason: string | null
}

export interface AgentEnvironmentVariableRow {
  organization_id: string
  id: string
  agent_id: string
  key: string
  value_enc: string
  description: string | null
  created_at: string
  updated_at: string
  created_by_id: string | null
  last_updated_by_id: string | null
}

export interface AgentTagRow {
  organization_id: string
  agent_id: string
  tag: string
}

declare module '../../db/tables.ts' {
  interface Tables {
    agents: AgentRow
    agents_tags: AgentTagRow
    agent_environment_variables: AgentEnvironmentVariableRow
  }
}
