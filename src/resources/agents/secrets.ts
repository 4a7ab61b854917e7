import { sql } from 'kysely'
import type { LinkChange } from '../../db/link.ts'
import type { Scope } from '../../db/scope.ts'
import { instantOf, newId } from '../../lib/ids.ts'
import type { AgentEnvironmentVariableRow } from './table.ts'

/** The cipher's context of a secret: moved to another agent or name, the ciphertext doesn't decrypt. */
const contextOf = (scope: Scope, agentId: string, key: string) => `${scope.organizationId}/${agentId}/${key}`

/** Sets secrets of agents, by the agent's id; those of other names stay. One statement. */
export async function addSecrets(scope: Scope, byAgent: ReadonlyMap<string, Record<string, string>>): Promise<void> {
  const secrets = [...byAgent].flatMap(([agentId, values]) =>
    Object.entries(values).map(([key, value]) => ({
      id: newId('agent-env'),
      agentId,
      key,
      sealed: scope.cipher.encrypt(value, contextOf(scope, agentId, key)),
    })),
  )
  if (secrets.length === 0) return
  const column = (name: keyof (typeof secrets)[number]) => secrets.map((secret) => secret[name])
  const times = secrets.map(({ id }) => instantOf(id)!.toISOString())
  await scope.query(sql`
    insert into agent_environment_variables
      (organization_id, id, agent_id, key, value_enc, created_at, updated_at, created_by_id, last_updated_by_id)
    select ${scope.organizationId}, id, agent_id, key, value_enc, at, at, ${scope.userId}, ${scope.userId}
    from unnest(${column('id')}::text[], ${column('agentId')}::text[], ${column('key')}::text[],
      ${column('sealed')}::text[], ${times}::timestamptz[]) as given (id, agent_id, key, value_enc, at)
    on conflict (organization_id, agent_id, key) do update set
      value_enc = excluded.value_enc, updated_at = excluded.updated_at, last_updated_by_id = excluded.last_updated_by_id
    returning id`)
}

/**
 * Makes exactly these the agent's secrets; secrets that stay keep their ids, and unchanged values aren't written.
 * The history gets their names, never a value. Call it inside a transaction that has locked or made the agent.
 */
export async function setSecrets(scope: Scope, agentId: string, values: Record<string, string>): Promise<LinkChange[]> {
  const current = new Map(Object.entries(await secretsOf(scope, agentId)))
  const removed = [...current.keys()].filter((key) => !Object.hasOwn(values, key))
  const changed = Object.entries(values).filter(([key, value]) => current.get(key) !== value)
  if (removed.length > 0) {
    await scope.query(sql`delete from agent_environment_variables
      where organization_id = ${scope.organizationId} and agent_id = ${agentId} and key = any(${removed}::text[])`)
  }
  await addSecrets(scope, new Map([[agentId, Object.fromEntries(changed)]]))
  if (changed.length + removed.length === 0) return []
  return [{ table: 'agent_environment_variables', added: changed.map(([key]) => key), removed }]
}

/** The secrets of an agent, by their names. */
export async function secretsOf(scope: Scope, agentId: string): Promise<Record<string, string>> {
  const rows = await scope.read<Pick<AgentEnvironmentVariableRow, 'key' | 'value_enc'>>(sql`
    select key, value_enc from agent_environment_variables
    where organization_id = ${scope.organizationId} and agent_id = ${agentId}`)
  return Object.fromEntries(
    rows.map(({ key, value_enc }) => [key, scope.cipher.decrypt(value_enc, contextOf(scope, agentId, key))]),
  )
}

/** Takes from the agent the secrets with any other name. As `setSecrets`. */
export async function keepSecrets(scope: Scope, agentId: string, names: readonly string[]): Promise<LinkChange[]> {
  const gone = await scope.query<{ key: string }>(sql`delete from agent_environment_variables
    where organization_id = ${scope.organizationId} and agent_id = ${agentId} and key <> all(${names}::text[])
    returning key`)
  if (gone.length === 0) return []
  return [{ table: 'agent_environment_variables', added: [], removed: gone.map(({ key }) => key) }]
}
