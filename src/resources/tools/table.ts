import type { OwnedRow } from '../../db/tables.ts'

interface Requirement {
  name: string
  version?: string | null
}

export interface ToolRow extends OwnedRow {
  name: string
  tool_type: string
  description: string | null
  source_type: string | null
  source_code: string | null
  json_schema: Record<string, unknown> | null
  /** Whether json_schema was derived from the source, and follows it. */
  schema_derived: boolean
  args_json_schema: Record<string, unknown> | null
  tags: string[]
  metadata_: Record<string, unknown> | null
  return_char_limit: number | null
  pip_requirements: Requirement[] | null
  npm_requirements: Requirement[] | null
  default_requires_approval: boolean | null
  enable_parallel_execution: boolean
  project_id: string | null
}

export interface AgentToolRow {
  organization_id: string
  agent_id: string
  tool_id: string
  position: number
}

declare module '../../db/tables.ts' {
  interface Tables {
    tools: ToolRow
    agents_tools: AgentToolRow
  }
}
