import { sql } from 'kysely'
import { parseFragments, placeholder } from '../../db/render/fragments.ts'
import { jsonMembers, jsonObject } from '../../db/render/json-columns.ts'
import { onPage } from '../../db/render/page.ts'
import type { Rendering } from '../../db/render/rendering.ts'
import type { Scope } from '../../db/scope.ts'
import { SandboxEnvironmentVariable } from './schema.ts'

const { value: _, ...properties } = SandboxEnvironmentVariable.properties
const shape = { $id: 'SandboxEnvironmentVariable', properties }

/** The cipher's context of a value: moved to another variable or organization, the ciphertext doesn't decrypt. */
export const contextOf = ({ organizationId }: Scope, id: string) => `${organizationId}/${id}`

/** The rendering of variables with their values, or with empty ones for keys without the scope `secrets`. */
export function variablesFor(scope: Scope): Rendering<SandboxEnvironmentVariable> {
  const { names, cipher } = scope
  const source = (field: string) => (field === 'value_enc' ? undefined : `sandbox_variables.${field}`)
  const members = jsonMembers({ shape, source }, names)
  const blind = sql.raw(jsonObject(members, `'"value":""'`))
  if (!scope.can('secrets')) return { cacheKey: `blind ${names}`, build: () => ({ json: blind }) }
  return {
    cacheKey: `values ${names}`,
    build: (organizationId) => ({
      json: sql`'{' || concat_ws(',', ${sql.raw(members)}, '"value":' || ${placeholder(sql`sandbox_variables.id`)}) || '}'`,
      fragments: ['sandbox_values'],
      tables: [
        sql`sandbox_values as (select id, value_enc as json from sandbox_variables
          where organization_id = ${organizationId} and ${onPage(sql`id`)})`,
      ],
    }),
    decryptSecrets: (text) =>
      [...parseFragments(text)]
        .map(([id, sealed]) => `${id}\u0002${JSON.stringify(cipher.decrypt(sealed, contextOf(scope, id)))}\u0003`)
        .join(''),
  }
}
