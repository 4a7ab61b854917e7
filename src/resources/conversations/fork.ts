import { sql } from 'kysely'
import type { Rendered } from '../../db/render/rendered.ts'
import type { Scope } from '../../db/scope.ts'
import { notFound } from '../../lib/errors.ts'
import type { Role, Target } from '../messages/table.ts'
import { copyBlocks, isolatedBlocks } from './isolated-blocks.ts'
import { type Conversation, conversations, listedConversations } from './schema.ts'
import { insertThread } from './thread.ts'

interface Item {
  id: string
  role: Role
  has_calls: boolean
}

/** The messages in context of a thread. */
const readContext = (scope: Scope, threadId: string): Promise<Item[]> =>
  scope.query<Item>(sql`
    select messages.id, role, tool_calls is not null as has_calls
    from threads cross join lateral json_array_elements_text(threads.message_ids) with ordinality as item (id, n)
      join messages on messages.organization_id = ${scope.organizationId} and messages.id = item.id
    where threads.organization_id = ${scope.organizationId} and threads.id = ${threadId} order by n`)

/** Whether a history may end behind a message: no call before it lacks a return. */
const mayEnd = ({ role, has_calls }: Item) => role !== 'approval' && !has_calls

/**
 * The messages up to one of them, with the returns of its calls; without an id, all. Calls that wait for an approval stay
 * behind: they are answered where they were made. 404 where the message isn't in context.
 */
function upTo(items: readonly Item[], messageId: string | undefined): Item[] {
  const at = messageId === undefined ? items.length : items.findIndex(({ id }) => id === messageId)
  if (at === -1) throw notFound('message', messageId!)
  const end = items.findIndex((item, n) => n >= at && mayEnd(item))
  return items.slice(0, (end === -1 ? items.findLastIndex(mayEnd) : end) + 1)
}

/**
 * Makes a conversation that shares the messages in context of a thread, all of them or those up to `messageId`.
 * The fork of a conversation has copies of its blocks, and its model. 404.
 */
export const forkThread = (
  scope: Scope,
  { agentId, threadId, conversationId }: Target,
  messageId: string | undefined,
): Promise<Rendered<Conversation>> =>
  scope.transaction(async (tx) => {
    const items = upTo(await readContext(tx, threadId), messageId)
    const shared = items.flatMap(({ id, role }) => (role === 'system' ? [] : id))
    const source = conversationId ? await tx.get(listedConversations, conversationId) : undefined
    const { id } = await tx.insert(listedConversations, {
      agent_id: agentId,
      model: source?.model,
      model_settings: source?.model_settings,
      isolated_block_labels: source?.isolated_block_labels,
      shared_message_ids: shared,
    })
    if (conversationId) await copyBlocks(tx, id, await isolatedBlocks(tx, conversationId))
    await insertThread(tx, { id, agent_id: agentId }, shared)
    return tx.retrieve(conversations, id)
  })
