import type { LinkRow, RowOf } from '../../db/tables.ts'
import type { Identity } from './schema.ts'

declare module '../../db/tables.ts' {
  interface Tables {
    identities: RowOf<Omit<Identity, 'agent_ids' | 'block_ids'>>
    agents_identities: LinkRow<'agent_id' | 'identity_id'>
    blocks_identities: LinkRow<'block_id' | 'identity_id'>
  }
}
