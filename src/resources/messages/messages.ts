import { sql } from 'kysely'
import type { Scope } from '../../db/scope.ts'
import { notFound } from '../../lib/errors.ts'
import { fanOutOf, toMessages } from './fan-out.ts'
import { listMessages } from './list.ts'
import type { ListAllMessages, Message } from './schema.ts'
import type { MessageRow } from './table.ts'

/** The messages of all agents, newest first. 404 for a cursor that is no message of the organization. */
export function listAllMessages(
  scope: Scope,
  { conversation_id, include_return_message_types, ...page }: ListAllMessages,
) {
  const condition = conversation_id === undefined ? sql`true` : sql`conversation_id = ${conversation_id}`
  return listMessages(scope, condition, page, ({ agent_type }) => fanOutOf(agent_type), include_return_message_types)
}

/** The messages that a stored message stands for, in the order of its parts. 404. */
export async function retrieveMessages(scope: Scope, id: string): Promise<Message[]> {
  const [row] = await scope.read<MessageRow & { agent_type: string }>(sql`
    select messages.*, agent_type from messages
      join agents on agents.organization_id = ${scope.organizationId} and agents.id = messages.agent_id
    where messages.organization_id = ${scope.organizationId} and messages.id = ${id}`)
  if (!row) throw notFound('message', id)
  return toMessages(row, fanOutOf(row.agent_type))
}
