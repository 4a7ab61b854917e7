import { sql } from 'kysely'
import type { Scope } from '../../../db/scope.ts'
import { fanOutOf } from '../../messages/fan-out.ts'
import { listMessages } from '../../messages/list.ts'
import { agents } from '../schema.ts'
import type { ListAgentMessages } from './schema.ts'

/** The messages of an agent, newest first. 404 for an agent that the organization doesn't have. */
export async function listAgentMessages(scope: Scope, id: string, query: ListAgentMessages) {
  const { conversation_id, group_id, include_return_message_types: types } = query
  const { agent_type } = await scope.get(agents, id)
  const fanOut = fanOutOf(agent_type, { ...query, include_compaction_messages: scope.names !== 'vendor' })
  const conversation =
    conversation_id === 'default' ? sql`and conversation_id is null` : sql`and conversation_id = ${conversation_id}`
  const condition = sql`agent_id = ${id} ${conversation_id === undefined ? sql`` : conversation}
    ${group_id === undefined ? sql`` : sql`and group_id = ${group_id}`}`
  return listMessages(scope, condition, query, () => fanOut, types)
}
