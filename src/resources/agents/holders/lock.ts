import { sql } from 'kysely'
import type { Scope } from '../../../db/scope.ts'

/**
 * Locks the agents that a resource is attached to until the transaction ends, in the order of their ids, so that two
 * transactions can't wait for each other. Returns those ids.
 */
export async function lockHolders(
  tx: Scope,
  table: 'agents_folders' | 'agents_tools',
  column: 'source_id' | 'tool_id',
  id: string,
): Promise<string[]> {
  const holders = await tx.query(sql<{ id: string }>`
    select id from agents where organization_id = ${tx.organizationId} and id in (
      select agent_id from ${sql.table(table)}
      where organization_id = ${tx.organizationId} and ${sql.ref(column)} = ${id})
    order by id for update`)
  return holders.map((holder) => holder.id)
}
