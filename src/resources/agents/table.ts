import type { RowOf } from '../../db/tables.ts'
import type { Agent, AgentEnvironmentVariable, AgentRowWire } from './schema.ts'

export interface AgentRow extends RowOf<Omit<AgentRowWire, 'message_ids'> & Pick<Agent, 'tags'>> {
  message_buffer_autoclear: boolean
  /** The variables that filled the blocks when a template made the agent. */
  memory_variables: Record<string, string> | null
}

export interface AgentEnvironmentVariableRow extends Omit<RowOf<AgentEnvironmentVariable>, 'value' | 'version'> {
  value_enc: string
}

declare module '../../db/tables.ts' {
  interface Tables {
    agents: AgentRow
    agents_tags: { organization_id: string; agent_id: string; tag: string }
    agent_environment_variables: AgentEnvironmentVariableRow
  }
}
