import { sql } from 'kysely'
import type { Scope } from '../../db/scope.ts'
import type { SandboxSettings, SandboxType } from '../sandbox-configs/schema.ts'
import { contextOf } from './rendering.ts'
import type { SandboxVariableRow } from './table.ts'

/** What an organization sets for its sandboxes of one type: the settings, and the variables that every tool gets. */
export interface SandboxEnvironment {
  settings: SandboxSettings
  variables: Record<string, string>
}

type Row = { config: SandboxSettings } & Record<
  keyof Pick<SandboxVariableRow, 'id' | 'key' | 'value_enc'>,
  string | null
>

/**
 * What the organization sets for its sandboxes of this type, by one statement; nothing where it has no configuration of the
 * type. Secrets of an agent with equal names come before these variables.
 */
export async function environmentOf(scope: Scope, type: SandboxType): Promise<SandboxEnvironment> {
  const { organizationId, cipher } = scope
  const rows = await scope.read<Row>(sql`
    select sandbox_configs.config, variable.id, variable.key, variable.value_enc
    from sandbox_configs left join sandbox_variables as variable
      on variable.organization_id = ${organizationId} and variable.sandbox_config_id = sandbox_configs.id
    where sandbox_configs.organization_id = ${organizationId} and sandbox_configs.type = ${type}`)
  const variables = rows.flatMap(({ id, key, value_enc }) =>
    id === null ? [] : [[key!, cipher.decrypt(value_enc!, contextOf(scope, id))] as const],
  )
  return { settings: rows[0]?.config ?? {}, variables: Object.fromEntries(variables) }
}
