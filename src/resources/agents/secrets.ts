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
 * Makes exactly these the agent's secrets; those that stay keep their ids, and a value that is the same is not written.
 * The history gets their names, never a value. Call it inside a transaction that has locked or made the agent.
 */
export async function setSecrets(scope: Scope, agentId: string, values: Record<string, string>): Promise<LinkChange[]> {
  const had = await scope.query<Pick<AgentEnvironmentVariableRow, 'key' | 'value_enc'>>(sql`
    select key, value_enc from agent_environment_variables
    where organization_id = ${scope.organizationId} and agent_id = ${agentId}`)
  const held = new Map(
    had.map(({ key, value_enc }) => [key, scope.cipher.decrypt(value_enc, place(scope, agentId, key))]),
  )
  const removed = [...held.keys()].filter((key) => !Object.hasOwn(values, key))
  const changed = Object.entries(values).filter(([key, value]) => held.get(key) !== value)
  if (removed.length > 0) {
    await scope.query(sql`delete from agent_environment_variables
      where organization_id = ${scope.organizationId} and agent_id = ${agentId} and key = any(${removed}::text[])`)
  }
  if (changed.length > 0) {
    const by = scope.userId
    const rows = changed.map(([key, value]) => {
      const id = newId('agent-env')
      const now = instantOf(id)!.toISOString()
      const sealed = scope.cipher.encrypt(value, place(scope, agentId, key))
      return sql`(${scope.organizationId}, ${id}, ${agentId}, ${key}, ${sealed}, ${now}::timestamptz, ${now}::timestamptz, ${by}, ${by})`
    })
    await scope.query(sql`
      insert into agent_environment_variables
        (organization_id, id, agent_id, key, value_enc, created_at, updated_at, created_by_id, last_updated_by_id)
      values ${sql.join(rows)}
      on conflict (organization_id, agent_id, key) do update set
        value_enc = excluded.value_enc, updated_at = excluded.updated_at, last_updated_by_id = excluded.last_updated_by_id`)
  }
  if (changed.length + removed.length === 0) return []
  return [{ table: 'agent_environment_variables', added: changed.map(([key]) => key), removed }]
}
