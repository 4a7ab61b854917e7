import type { OwnedRow } from '../../db/tables.ts'

export interface GroupRow extends OwnedRow {
  manager_type: 'round_robin' | 'supervisor' | 'dynamic' | 'sleeptime' | 'voice_sleeptime' | 'swarm'
  description: string
  manager_agent_id: string | null
  max_turns: number | null
  termination_token: string | null
  sleeptime_agent_frequency: number | null
  turns_counter: number | null
  last_processed_message_id: string | null
  max_message_buffer_length: number | null
  min_message_buffer_length: number | null
  hidden: boolean | null
  project_id: string | null
  template_id: string | null
  base_template_id: string | null
  deployment_id: string | null
}

export interface GroupAgentRow {
  organization_id: string
  group_id: string
  agent_id: string
  position: number
}

export interface GroupBlockRow {
  organization_id: string
  group_id: string
  block_id: string
  position: number
}

declare module '../../db/tables.ts' {
  interface Tables {
    groups: GroupRow
    groups_agents: GroupAgentRow
    groups_blocks: GroupBlockRow
  }
}
