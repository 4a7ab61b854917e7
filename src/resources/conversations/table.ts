import type { RowOf } from '../../db/tables.ts'
import type { Conversation } from './schema.ts'

export interface ConversationRow extends RowOf<Omit<Conversation, 'in_context_message_ids' | 'isolated_block_ids'>> {
  last_run_completion: string | null
  /** The messages that a fork shares with its source. */
  shared_message_ids: string[] | null
}

declare module '../../db/tables.ts' {
  interface Tables {
    conversations: ConversationRow
  }
}
