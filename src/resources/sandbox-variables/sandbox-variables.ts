import { sql } from 'kysely'
import type { Scope } from '../../db/scope.ts'
import { conflict } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { sandboxConfigs } from '../sandbox-configs/schema.ts'
import { contextOf, variablesFor } from './rendering.ts'
import {
  type CreateSandboxVariable,
  type ListSandboxVariables,
  sandboxVariables,
  type UpdateSandboxVariable,
} from './schema.ts'
import type { SandboxVariableRow } from './table.ts'

/** The most variables of one configuration: every call of a tool gets all of them. */
const MAX_VARIABLES = 200

/** The environment variables of a configuration, oldest first. 404. */
export async function listSandboxVariables(scope: Scope, configId: string, page: ListSandboxVariables) {
  await scope.exists('sandbox_configs', configId)
  return scope.list(
    sandboxVariables,
    page,
    (query) => query.where('sandbox_variables.sandbox_config_id', '=', configId),
    variablesFor(scope),
  )
}

/** Makes an environment variable of a configuration. 404, and 409 for a key that is taken, or too many variables. */
export function createSandboxVariable(
  scope: Scope,
  configId: string,
  { key, value, description }: CreateSandboxVariable,
) {
  const id = newId('sandbox-env')
  return scope.locking(sandboxConfigs, configId, async (tx) => {
    const there = await tx.count(sandboxVariables, (query) =>
      query.where('sandbox_variables.sandbox_config_id', '=', configId),
    )
    if (there >= MAX_VARIABLES) throw conflict(`The sandbox has ${MAX_VARIABLES} variables: delete one first.`)
    const value_enc = scope.cipher.encrypt(value, contextOf(scope, id))
    await tx.insert(sandboxVariables, { id, sandbox_config_id: configId, key, value_enc, description })
    return tx.retrieve(sandboxVariables, id, variablesFor(scope))
  })
}

/** Changes an environment variable. 404, 409 for a key that is taken, 412. */
export const modifySandboxVariable = (scope: Scope, id: string, { value, ...patch }: UpdateSandboxVariable) =>
  scope.locking(sandboxVariables, id, async (tx) => {
    const [row] = await tx.query<Pick<SandboxVariableRow, 'value_enc'>>(sql`
      select value_enc from sandbox_variables where organization_id = ${scope.organizationId} and id = ${id}`)
    const context = contextOf(scope, id)
    // A second encryption of the same value would look like a change.
    const changed = value !== undefined && value !== scope.cipher.decrypt(row!.value_enc, context)
    const value_enc = changed ? scope.cipher.encrypt(value, context) : undefined
    await tx.update(sandboxVariables, id, { ...patch, value_enc })
    return tx.retrieve(sandboxVariables, id, variablesFor(scope))
  })
