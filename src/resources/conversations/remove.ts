import { sql } from 'kysely'
import type { Scope } from '../../db/scope.ts'
import { blocks } from '../blocks/schema.ts'
import { conversations, listedConversations } from './schema.ts'

/** Deletes the messages that no conversation shows any more: its own, and those of deleted conversations that it shared. */
const deleteMessages = (tx: Scope, id: string, agentId: string) =>
  tx.query(sql`
    with shared as (
      select conversations.id as conversation_id, item.id from conversations
        cross join lateral json_array_elements_text(conversations.shared_message_ids) as item (id)
      where conversations.organization_id = ${tx.organizationId} and conversations.agent_id = ${agentId}
    )
    delete from messages where organization_id = ${tx.organizationId} and agent_id = ${agentId}
      and (conversation_id = ${id} or id in (select id from shared where conversation_id = ${id})
        and conversation_id is not null and not exists (select from conversations as other
          where other.organization_id = ${tx.organizationId} and other.id = messages.conversation_id))
      and id not in (select id from shared where conversation_id <> ${id})
    returning id`)

/**
 * Deletes a conversation with its blocks and its messages, except for messages that forks share; ends its runs. Returns the ids
 * of the runs that waited or were carried out. 404, 412.
 */
export const deleteConversation = (scope: Scope, id: string): Promise<string[]> =>
  scope.locking(conversations, id, async (tx) => {
    const { organizationId } = tx
    const { agent_id, isolated_block_ids } = await tx.get(listedConversations, id)
    for (const block of isolated_block_ids) await tx.withoutIfMatch().remove(blocks, block)
    const ended = await tx.query<{ id: string }>(sql`
      update runs set status = 'cancelled', stop_reason = 'cancelled', completed_at = ${new Date().toISOString()}::timestamptz,
        version = version + 1
      where organization_id = ${organizationId} and thread_id = ${id} and status in ('created', 'running') returning id`)
    await tx.query(sql`delete from threads where organization_id = ${organizationId} and id = ${id} returning id`)
    await deleteMessages(tx, id, agent_id)
    await tx.remove(conversations, id)
    return ended.map((run) => run.id)
  })
