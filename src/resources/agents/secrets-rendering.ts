import { sql } from 'kysely'
import { jsonMembers, jsonObject, type Names } from '../../db/render/json-columns.ts'
import { onPage } from '../../db/render/page.ts'
import type { Scope } from '../../db/scope.ts'
import { AgentEnvironmentVariable } from './schema.ts'

const { value, ...plainFields } = AgentEnvironmentVariable.properties

/** Encloses a ciphertext and its context in rendered JSON, whose texts escape this character. */
const MARK = '\u0001'

/** SQL of a ciphertext after its context: `organization/agent/` and the name as JSON. */
const MARKED_CIPHERTEXT =
  "chr(1) || organization_id || '/' || agent_id || '/' || to_json(key)::text || chr(1) || value_enc || chr(1)"

/**
 * A table of the secrets of the agents in `page`, by the agent's id. Values are empty unless `withSecrets`; `decryptSecrets`
 * then replaces their ciphertexts.
 */
export function secretsTable(
  name: string,
  { organizationId, withSecrets, names }: { organizationId: unknown; withSecrets: boolean; names: Names },
) {
  const source = (field: string) => (field === 'value_enc' ? undefined : field)
  const members = jsonMembers({ shape: { $id: 'AgentEnvironmentVariable', properties: plainFields }, source }, names)
  const json = sql.raw(jsonObject(`'"value":' || ${withSecrets ? MARKED_CIPHERTEXT : `'""'`}`, members))
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
