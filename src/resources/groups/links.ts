import type { Link } from '../../db/link.ts'
import { groups } from './schema.ts'

/** The members of a group. */
export const groupAgents: Link = {
  table: 'groups_agents',
  owner: groups,
  ownerColumn: 'group_id',
  targetColumn: 'agent_id',
}

/** The blocks a group's members share. */
export const groupBlocks: Link = {
  table: 'groups_blocks',
  owner: groups,
  ownerColumn: 'group_id',
  targetColumn: 'block_id',
}
