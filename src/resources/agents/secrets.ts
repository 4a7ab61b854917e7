import { sql } from 'kysely'
import { LRUCache } from 'lru-cache'
import { membersOf, objectOf } from '../../db/members.ts'
import type { LinkChange } from '../../db/resource.ts'
import type { Scope } from '../../db/scope.ts'
import { onPage } from '../../db/written.ts'
import type { Cipher } from '../../lib/cipher.ts'
import { instantOf, newId } from '../../lib/ids.ts'
import { bytesOf, type Place, type Sheet, writeBytes, writeText } from '../../lib/sheet.ts'
import { AgentEnvironmentVariable } from './schema.ts'
import type { AgentEnvironmentVariableRow } from './table.ts'

/** A ciphertext belongs to one name of one agent: moved elsewhere it doesn't decrypt. */
const place = (scope: Scope, agentId: string, key: string) => `${scope.organizationId}/${agentId}/${key}`

const { value, value_enc, ...shown } = AgentEnvironmentVariable.properties

/** Stands around what is to be decrypted in written JSON, where no text holds it: there it is escaped. */
const MARK = 1

/** SQL of a ciphertext and, before it, its place. */
const SEALED =
  "chr(1) || organization_id || '/' || agent_id || '/' || to_json(key)::text || chr(1) || value_enc || chr(1)"

/**
 * A table of the secrets of the agents in `page`, by the agent's id. Values are empty unless the key holds the right to
 * see them; for those that do, `revealSecrets` decrypts them.
 */
export function writtenSecrets(name: string, scope: Scope) {
  const value = scope.can('secrets') ? SEALED : `'""'`
  const json = sql.raw(
    objectOf(
      `'"value":' || ${value}`,
      membersOf({ properties: shown }, (field) => field),
    ),
  )
  return sql`${sql.table(name)} as (
    select agent_id as id, '[' || string_agg(${json}, ',' order by agent_environment_variables.id) || ']' as json
    from agent_environment_variables
    where organization_id = ${scope.organizationId} and ${onPage(sql`agent_id`)} group by agent_id)`
}

/**
 * The JSON of what each cipher decrypted last, by its place and ciphertext, about so many characters of it: an agent's
 * secrets are asked for often, and to decrypt one takes ten times as long as to find it. Whoever can read the server's
 * memory has the key as well.
 */
const revealed = new WeakMap<Cipher, LRUCache<string, string>>()
const KEPT = { maxSize: 1 << 20, maxEntrySize: 1 << 12 }

function revealedBy(cipher: Cipher): LRUCache<string, string> {
  const known = revealed.get(cipher)
  if (known) return known
  const made = new LRUCache<string, string>({ ...KEPT, sizeCalculation: (json, marked) => json.length + marked.length })
  revealed.set(cipher, made)
  return made
}

/** The JSON of a value, from what stands between the outer marks. */
function jsonOf({ cipher }: Scope, marked: string): string {
  const known = revealedBy(cipher).get(marked)
  if (known !== undefined) return known
  const [where, sealed] = marked.split(String.fromCharCode(MARK)) as [string, string]
  const quote = where.indexOf('"')
  const json = JSON.stringify(cipher.decrypt(sealed, where.slice(0, quote) + JSON.parse(where.slice(quote))))
  revealedBy(cipher).set(marked, json)
  return json
}

/** The same JSON with the values of its secrets: in its place, or behind what is on the sheet. */
export function revealSecrets(scope: Scope, sheet: Sheet, place: Place): Place {
  const text = bytesOf(sheet, place)
  // Text, place, ciphertext, text, …
  let first = text.indexOf(MARK)
  if (first < 0) return place
  const from = sheet.length
  let at = 0
  for (; first >= 0; first = text.indexOf(MARK, at)) {
    const last = text.indexOf(MARK, text.indexOf(MARK, first + 1) + 1)
    writeBytes(sheet, text, at, first)
    writeText(sheet, jsonOf(scope, text.toString('utf8', first + 1, last)))
    at = last + 1
  }
  writeBytes(sheet, text, at)
  return { from, to: sheet.length }
}

/** Sets secrets of agents, by the agent's id; those of other names stay. One statement. */
export async function addSecrets(scope: Scope, byAgent: ReadonlyMap<string, Record<string, string>>): Promise<void> {
  const secrets = [...byAgent].flatMap(([agentId, values]) =>
    Object.entries(values).map(([key, value]) => ({
      id: newId('agent-env'),
      agentId,
      key,
      sealed: scope.cipher.encrypt(value, place(scope, agentId, key)),
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
      value_enc = excluded.value_enc, updated_at = excluded.updated_at, last_updated_by_id = excluded.last_updated_by_id`)
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
