import type { OwnedRow } from '../../db/tables.ts'

export interface IdentityRow extends OwnedRow {
  identifier_key: string
  name: string
  identity_type: 'org' | 'user' | 'other'
  project_id: string | null
  properties: { key: string; type: string; value: unknown }[] | null
}

export interface AgentIdentityRow {
  organization_id: string
  agent_id: string
  identity_id: string
  position: number
}

export interface BlockIdentityRow {
  organization_id: string
  block_id: string
  identity_id: string
  position: number
}

declare module '../../db/tables.ts' {
  interface Tables {
    identities: IdentityRow
    agents_identities: AgentIdentityRow
    blocks_identities: BlockIdentityRow
  }
}
