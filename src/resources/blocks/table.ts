import type { OwnedRow } from '../../db/tables.ts'

export interface BlockRow extends OwnedRow {
  value: string
  label: string | null
  limit: number | null
  description: string | null
  metadata: Record<string, unknown> | null
  read_only: boolean | null
  hidden: boolean | null
  tags: string[]
  is_template: boolean | null
  template_name: string | null
  template_id: string | null
  base_template_id: string | null
  deployment_id: string | null
  entity_id: string | null
  project_id: string | null
  preserve_on_migration: boolean | null
  label_key: string
}

export interface AgentBlockRow {
  organization_id: string
  agent_id: string
  block_id: string
  block_label: string
  position: number
}

export interface BlockTagRow {
  organization_id: string
  block_id: string
  tag: string
}

declare module '../../db/tables.ts' {
  interface Tables {
    blocks: BlockRow
    agents_blocks: AgentBlockRow
    blocks_tags: BlockTagRow
  }
}
