import { sql } from 'kysely'
import type { LinkChange } from '../../db/link.ts'
import { jsonMembers, jsonObject } from '../../db/render/json-columns.ts'
import { onPage } from '../../db/render/page.ts'
import type { Scope } from '../../db/scope.ts'
import { instantOf, newId } from '../../lib/ids.ts'
import { AgentEnvironmentVariable } from './schema.ts'
import type { AgentEnvironmentVariableRow } from './table.ts'

/** The cipher's context of a secret: moved to another agent or name, the ciphertext doesn't decrypt. */
const contextOf = (scope: Scope, agentId: string, key: string) => `${scope.organizationId}/${agentId}/${key}`

const { value, value_enc, ...plainFields } = AgentEnvironmentVariable.properties

/** Encloses a ciphertext and its context in rendered JSON, whose texts escape this character. */
const MARK = '\u0001'

/** SQL of a ciphertext after its context: `organization/agent/` and the name as JSON. */
const MARKED_CIPHERTEXT =
  "chr(1) || organization_id || '/' || agent_id || '/' || to_json(key)::text || chr(1) || value_enc || chr(1)"

/**
 * A table of the secrets of the agents in `page`, by the agent's id. Values are empty unless `withValues`; `decryptSecrets`
 * then replaces their ciphertexts.
 */
export function secretsTable(name: string, organizationId: unknown, withValues: boolean) {
  const members = jsonMembers({ shape: { properties: plainFields }, source: (field) => field }, 'neutral')
  const json = sql.raw(jsonObject(`'"value":' || ${withValues ? MARKED_CIPHERTEXT : `'""'`}`, members))
  return sql`${sql.table(name)} as (
    select agent_id as id, '[' || string_agg(${json}, ',' order by agent_environment_variables.id) || ']' as json
    from agent_environment_variables
    where organization_id = ${organizationId} and ${onPage(sql`agent_id`)} group by agent_id)`
}

/** The text with its marked ciphertexts replaced by the JSON of their plain text. */
export function decryptSecrets({ cipher }: Scope, text: string): string {
  // Text, context, ciphertext, text, …
  const parts = text.split(MARK)
  for (let at = 1; at < parts.length; at += 3) {
    const context = parts[at]!
    const name = context.indexOf('"')
    parts[at] = JSON.stringify(cipher.decrypt(parts[at + 1]!, context.slice(0, name) + JSON.parse(context.slice(name))))
    parts[at + 1] = ''
  }
  return parts.join('')
}

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
 * Makes exactly these the agent's secrets; those that stay keep their ids, and a value that is the same is not written.
 * The history gets their names, never a value. Call it inside a transaction that has locked or made the agent.
 */
export async function setSecrets(scope: Scope, agentId: string, values: Record<string, string>): Promise<LinkChange[]> {
  const had = await scope.query<Pick<AgentEnvironmentVariableRow, 'key' | 'value_enc'>>(sql`
    select key, value_enc from agent_environment_variables
    where organization_id = ${scope.organizationId} and agent_id = ${agentId}`)
  const held = new Map(
    had.map(({ key, value_enc }) => [key, scope.cipher.decrypt(value_enc, contextOf(scope, agentId, key))]),
  )
  const removed = [...held.keys()].filter((key) => !Object.hasOwn(values, key))
  const changed = Object.entries(values).filter(([key, value]) => held.get(key) !== value)
  if (removed.length > 0) {
    await scope.query(sql`delete from agent_environment_variables
      where organization_id = ${scope.organizationId} and agent_id = ${agentId} and key = any(${removed}::text[])`)
  }
  await addSecrets(scope, new Map([[agentId, Object.fromEntries(changed)]]))
  if (changed.length + removed.length === 0) return []
  return [{ table: 'agent_environment_variables', added: changed.map(([key]) => key), removed }]
}

/** Takes from the agent the secrets with any other name. As `setSecrets`. */
export async function keepSecrets(scope: Scope, agentId: string, names: readonly string[]): Promise<LinkChange[]> {
  const gone = await scope.query<{ key: string }>(sql`delete from agent_environment_variables
    where organization_id = ${scope.organizationId} and agent_id = ${agentId} and key <> all(${names}::text[])
    returning key`)
  if (gone.length === 0) return []
  return [{ table: 'agent_environment_variables', added: [], removed: gone.map(({ key }) => key) }]
}
