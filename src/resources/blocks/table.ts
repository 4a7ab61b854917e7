import type { LinkRow, RowOf } from '../../db/tables.ts'
import type { Block } from './schema.ts'

export interface BlockRow extends RowOf<Block> {
  tags: string[]
  label_key: string
  /** The conversation whose own block this is. */
  conversation_id: string | null
}

declare module '../../db/tables.ts' {
  interface Tables {
    blocks: BlockRow
    agents_blocks: LinkRow<'agent_id' | 'block_id' | 'block_label'>
    blocks_tags: { organization_id: string; block_id: string; tag: string }
  }
}
