import type { Link } from '../../db/link.ts'
import { blocks } from './schema.ts'

/** The identities a block is linked to. */
export const blockIdentities: Link = {
  table: 'blocks_identities',
  owner: blocks,
  ownerColumn: 'block_id',
  targetColumn: 'identity_id',
}
