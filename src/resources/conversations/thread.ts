import { sql } from 'kysely'
import type { Scope } from '../../db/scope.ts'
import { idAt, instantOf, newId } from '../../lib/ids.ts'

/** The id of a system prompt that lists show before the messages behind it. */
function promptId(shared: readonly string[]): string {
  const [oldest] = shared.toSorted()
  return oldest === undefined ? newId('message') : idAt('message', new Date(instantOf(oldest)!.getTime() - 1), 0)
}

/**
 * Makes the thread of a new conversation: a system prompt of its own, which its first run compiles, then `shared`, the ids of
 * messages of another thread.
 */
export async function insertThread(
  tx: Scope,
  { id, agent_id }: { id: string; agent_id: string },
  shared: readonly string[],
): Promise<void> {
  const { organizationId } = tx
  const system = promptId(shared)
  await tx.query(sql`
    with system as (
      insert into messages (organization_id, id, agent_id, conversation_id, role, content, created_at)
      select ${organizationId}, ${system}, ${agent_id}, ${id}, 'system',
        json_build_array(json_build_object('type', 'text', 'text', system)), ${instantOf(system)!.toISOString()}::timestamptz
      from agents where organization_id = ${organizationId} and id = ${agent_id} returning id
    )
    insert into threads (organization_id, id, agent_id, message_ids)
    values (${organizationId}, ${id}, ${agent_id}, ${JSON.stringify([system, ...shared])}::json) returning id`)
}
