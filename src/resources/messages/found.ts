import { omitNullFields } from '../../lib/json.ts'
import { FUSION } from '../../lib/ranking.ts'
import type { PreparedSearch } from '../passages/prepare-search.ts'
import { fanOutOf, toMessages } from './fan-out.ts'
import type { FoundMessage, InternalMessage } from './schema.ts'
import type { FoundRow } from './search.ts'
import type { MessageHit } from './search-schema.ts'
import type { MessageRow } from './table.ts'

const TYPES = ['system_message', 'user_message', 'reasoning_message', 'assistant_message']

/** The texts of found messages, each by itself, in the order of the messages. */
export const foundMessages = (rows: readonly FoundRow[]): FoundMessage[] =>
  rows.flatMap((row) =>
    toMessages(row, fanOutOf(row.agent_type))
      .filter(({ message_type }) => TYPES.includes(message_type))
      .map(({ message_type, content, reasoning }) => {
        const place = {
          message_id: row.id,
          agent_id: row.agent_id,
          conversation_id: row.conversation_id ?? undefined,
          created_at: row.created_at,
        }
        // It holds: a message of these types has one of these two fields.
        const text = message_type === 'reasoning_message' ? { reasoning } : { content }
        return { message_type, ...text, ...place } as FoundMessage
      }),
  )

/** A message as it is stored, without fields that have no value. */
export function storedMessage(row: Omit<MessageRow, 'organization_id'>): InternalMessage {
  const { id, agent_id, conversation_id, role, content, name, model, otid, sender_id, group_id } = row
  const { step_id, run_id, tool_calls, tool_call_id, tool_returns, created_at } = row
  const message: Record<string, unknown> = {
    ...{ id, agent_id, conversation_id, role, content, name, model, otid, sender_id, group_id },
    ...{ step_id, run_id, tool_calls, tool_call_id, tool_returns, created_at },
  }
  // It holds: the columns that are left are those of the shape, and null is no value.
  return omitNullFields(message) as InternalMessage
}

/** Found messages as they are stored, with how each was found. */
export const messageHits = (rows: readonly FoundRow[], { vectorError }: PreparedSearch): MessageHit[] =>
  rows.map((row) => {
    const { text, fts_rank, vector_rank } = row
    const ranks = [fts_rank, vector_rank].filter((rank) => rank !== null)
    return {
      embedded_text: text,
      message: storedMessage(row),
      ...(fts_rank !== null && { fts_rank }),
      ...(vector_rank !== null && { vector_rank }),
      rrf_score: ranks.reduce((sum, rank) => sum + 1 / (FUSION + rank), 0),
      ...(vectorError !== undefined && { vector_error: vectorError }),
    }
  })
