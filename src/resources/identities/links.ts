import type { Link } from '../../db/link.ts'
import { identities } from './schema.ts'

/** Seen from an identity its attachments have no order of their own: those that stay keep their place at the agent. */
const of = (table: string, targetColumn: string): Link => ({
  table,
  owner: identities,
  ownerColumn: 'identity_id',
  targetColumn,
  keepsRows: true,
})

/** The links between identities and the resources they are attached to. */
export const identityAgents = of('agents_identities', 'agent_id')
export const identityBlocks = of('blocks_identities', 'block_id')
