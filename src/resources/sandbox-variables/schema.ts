import { type Static, Type } from 'typebox'
import { defineResource } from '../../db/resource.ts'
import { Create, Id, Instant, Page, Params, Patch, Query, Shape, Text } from '../../lib/wire.ts'

const { Optional } = Type

/** An environment variable of every tool that runs in sandboxes of one type. */
export const SandboxEnvironmentVariable = Shape('SandboxEnvironmentVariable', {
  id: Id('sandbox-env'),
  key: Type.String({ description: 'Name of the variable.' }),
  value: Type.String({ description: 'Empty for keys without the `secrets` scope.' }),
  description: Optional(Type.String()),
  sandbox_config_id: Id('sandbox'),
  organization_id: Type.String(),
  created_at: Instant(),
  updated_at: Instant(),
  created_by_id: Optional(Type.String()),
  last_updated_by_id: Optional(Type.String()),
  value_enc: Optional(Type.String({ description: 'Never there.' })),
})
export type SandboxEnvironmentVariable = Static<typeof SandboxEnvironmentVariable>

export const sandboxVariables = defineResource<Omit<SandboxEnvironmentVariable, 'value'>>()(
  SandboxEnvironmentVariable,
  {
    table: 'sandbox_variables',
    prefix: 'sandbox-env',
    order: 'asc',
    // The database doesn't have the key of the values.
    computed: { value: undefined, value_enc: undefined },
    unlogged: ['value_enc'],
    conflicts: { sandbox_variables_key_key: 'The sandbox has a variable with this key already.' },
  },
)

const fields = {
  key: Type.String({ pattern: '^[A-Za-z_][A-Za-z0-9_]{0,199}$', title: 'a name of letters, digits and _' }),
  value: Text({ maxLength: 100_000, description: 'Encrypted at rest.' }),
  description: Text({ maxLength: 10_000 }),
}

export const CreateSandboxVariable = Create(fields, ['key', 'value'])
export type CreateSandboxVariable = Static<typeof CreateSandboxVariable>

export const UpdateSandboxVariable = Patch(fields, ['key', 'value'])
export type UpdateSandboxVariable = Static<typeof UpdateSandboxVariable>

export const ListSandboxVariables = Query(Page('sandbox-env'))
export type ListSandboxVariables = Static<typeof ListSandboxVariables>

export const SandboxVariableParams = Params({ variable_id: Id('sandbox-env') })
