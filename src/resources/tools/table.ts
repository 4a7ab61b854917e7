import type { LinkRow, RowOf } from '../../db/tables.ts'
import type { Tool } from './schema.ts'

export interface ToolRow extends RowOf<Tool> {
  name: string
  tool_type: NonNullable<Tool['tool_type']>
  tags: string[]
  enable_parallel_execution: boolean
  /** Whether json_schema was derived from the source, and follows it. */
  schema_derived: boolean
}

declare module '../../db/tables.ts' {
  interface Tables {
    tools: ToolRow
    agents_tools: LinkRow<'agent_id' | 'tool_id'>
  }
}
