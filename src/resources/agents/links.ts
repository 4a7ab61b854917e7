import type { Link } from '../../db/resource.ts'
import { agents } from './schema.ts'

const of = (table: string, targetColumn: string): Link => ({
  table,
  owner: agents,
  ownerColumn: 'agent_id',
  targetColumn,
})

/** What can be attached to an agent. */
export const agentBlocks: Link = {
  ...of('agents_blocks', 'block_id'),
  carries: { column: 'block_label', table: 'blocks', from: 'label_key' },
}
export const agentTools = of('agents_tools', 'tool_id')
export const agentArchives = of('agents_archives', 'archive_id')
export const agentIdentities = of('agents_identities', 'identity_id')
export const agentFolders: Link = { ...of('agents_folders', 'source_id'), keepsRows: true }
