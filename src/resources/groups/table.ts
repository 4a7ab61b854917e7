import type { LinkRow, RowOf } from '../../db/tables.ts'
import type { Group } from './schema.ts'

declare module '../../db/tables.ts' {
  interface Tables {
    groups: RowOf<Omit<Group, 'agent_ids' | 'shared_block_ids'>>
    groups_agents: LinkRow<'group_id' | 'agent_id'>
    groups_blocks: LinkRow<'group_id' | 'block_id'>
  }
}
