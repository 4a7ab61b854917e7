import type { OwnedRow } from '../../db/tables.ts'

export interface ApiKeyRow extends OwnedRow {
  user_id: string
  name: string
  scopes: string[]
  key_hash: string
  expires_at: string | null
  revoked_at: string | null
  last_used_at: string | null
}

declare module '../../db/tables.ts' {
  interface Tables {
    api_keys: ApiKeyRow
  }
}
