import type { OwnedRow } from '../../db/tables.ts'
import type { Access } from '../api-keys/schema.ts'

export interface AccessTokenRow extends OwnedRow {
  api_key_id: string
  token_hash: string
  hostname: string
  origin: string
  expires_at: string
}

export interface AccessTokenAgentRow {
  organization_id: string
  access_token_id: string
  agent_id: string
  access: Access[]
  position: number
}

declare module '../../db/tables.ts' {
  interface Tables {
    access_tokens: AccessTokenRow
    access_tokens_agents: AccessTokenAgentRow
  }
}
