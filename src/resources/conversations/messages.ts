import { sql } from 'kysely'
import type { Scope } from '../../db/scope.ts'
import { fanOutOf } from '../messages/fan-out.ts'
import { listMessages } from '../messages/list.ts'
import type { Target } from '../messages/table.ts'
import type { ListConversationMessages } from './schema.ts'

interface Source {
  agent_type: string
  shared_message_ids: string[] | null
}

/** The messages of a thread, newest first: its own, and those that a fork shares with its source. 404 for a cursor. */
export async function listThreadMessages(
  scope: Scope,
  { agentId, conversationId }: Target,
  { group_id, include_return_message_types: types, ...page }: ListConversationMessages,
) {
  const { organizationId } = scope
  const [source] = await scope.read<Source>(sql`
    select agent_type, (select shared_message_ids from conversations
      where conversations.organization_id = ${organizationId} and conversations.id = ${conversationId ?? null}
    ) as shared_message_ids
    from agents where agents.organization_id = ${organizationId} and agents.id = ${agentId}`)
  const shared = source?.shared_message_ids ?? []
  const own = conversationId
    ? sql`(conversation_id = ${conversationId} or id = any(${shared}::text[]))`
    : sql`conversation_id is null`
  const condition = sql`agent_id = ${agentId} and ${own} ${group_id === undefined ? sql`` : sql`and group_id = ${group_id}`}`
  const fanOut = fanOutOf(source?.agent_type ?? '')
  return listMessages(scope, condition, { ...page, inOrder: true }, () => fanOut, types)
}
