import type { Link } from '../../db/link.ts'
import { ONE_BLOCK_PER_LABEL } from '../blocks/schema.ts'
import { agents } from './schema.ts'

const of = (table: string, targetColumn: string): Link => ({
  table,
  owner: agents,
  ownerColumn: 'agent_id',
  targetColumn,
})

/** The links between agents and their attachments. */
export const agentBlocks: Link = {
  ...of('agents_blocks', 'block_id'),
  carries: { column: 'block_label', table: 'blocks', from: 'label_key' },
  conflicts: ONE_BLOCK_PER_LABEL,
}
export const agentTools = of('agents_tools', 'tool_id')
export const agentArchives: Link = {
  ...of('agents_archives', 'archive_id'),
  conflicts: {
    agents_archives_agent_key: 'This agent already has an archive attached: detach it first.',
  },
}
export const agentIdentities = of('agents_identities', 'identity_id')
export const agentFolders: Link = { ...of('agents_folders', 'source_id'), keepsRows: true }
