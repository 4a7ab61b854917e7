import { sql } from 'kysely'
import type { LinkChange } from '../../db/resource.ts'
import type { Scope } from '../../db/scope.ts'
import { instantOf, newId } from '../../lib/ids.ts'
import type { AgentEnvironmentVariable } from './schema.ts'
import type { AgentEnvironmentVariableRow } from './table.ts'

/** A ciphertext belongs to one name of one agent: moved elsewhere it doesn't decrypt. */
const place = (scope: Scope, agentId: string, key: string) => `${scope.organizationId}/${agentId}/${key}`

/** The secrets of each of these agents, by one statement. Values are empty unless the key holds the right to see them. */
export async function secretsOf(
  scope: Scope,
  agentIds: readonly string[],
): Promise<Map<string, AgentEnvironmentVariable[]>> {
  const rows = await scope.query<AgentEnvironmentVariableRow>(sql`
    select id, agent_id, key, value_enc, description, created_at, updated_at, created_by_id, last_updated_by_id
    from agent_environment_variables
    where organization_id = ${scope.organizationId} and agent_id = any(${agentIds}::text[]) order by agent_id, id`)
  const readable = scope.can('secrets')
  const secrets = rows.map(({ value_enc, description, created_by_id, last_updated_by_id, ...row }) => ({
    ...row,
    value: readable ? scope.cipher.decrypt(value_enc, place(scope, row.agent_id, row.key)) : '',
    ...(description !== null && { description }),
    ...(created_by_id !== null && { created_by_id }),
    ...(last_updated_by_id !== null && { last_updated_by_id }),
  }))
  return Map.groupBy(secrets, (secret) => secret.agent_id)
}

/**
 * Makes exactly these the agent's secrets; those that stay keep their ids. The history gets their names, never a value.
 * Call it inside a transaction that has locked or made the agent.
 */
export async function setSecrets(scope: Scope, agentId: string, values: Record<string, string>): Promise<LinkChange[]> {
  const had = (await secretsOf(scope, [agentId])).get(agentId) ?? []
  const removed = had.map(({ key }) => key).filter((key) => !(key in values))
  const keys = Object.keys(values)
  if (removed.length > 0) {
    await scope.query(sql`delete from agent_environment_variables
      where organization_id = ${scope.organizationId} and agent_id = ${agentId} and key = any(${removed}::text[])`)
  }
  if (keys.length > 0) {
    const rows = keys.map((key) => {
      const id = newId('agent-env')
      const now = instantOf(id)!.toISOString()
      const sealed = scope.cipher.encrypt(values[key]!, place(scope, agentId, key))
      const by = scope.userId
      return sql`(${scope.organizationId}, ${id}, ${agentId}, ${key}, ${sealed}, ${now}::timestamptz, ${now}::timestamptz, ${by}, ${by})`
    })
    await scope.query(sql`
      insert into agent_environment_variables
        (organization_id, id, agent_id, key, value_enc, created_at, updated_at, created_by_id, last_updated_by_id)
      values ${sql.join(rows)}
      on conflict (organization_id, agent_id, key) do update set
        value_enc = excluded.value_enc, updated_at = excluded.updated_at, last_updated_by_id = excluded.last_updated_by_id`)
  }
  return keys.length + removed.length > 0 ? [{ table: 'agent_environment_variables', added: keys, removed }] : []
}
