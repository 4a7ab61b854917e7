import type { RowOf } from '../../db/tables.ts'
import type { SandboxEnvironmentVariable } from './schema.ts'

export interface SandboxVariableRow extends Omit<RowOf<SandboxEnvironmentVariable>, 'value' | 'value_enc'> {
  value_enc: string
}

declare module '../../db/tables.ts' {
  interface Tables {
    sandbox_variables: SandboxVariableRow
  }
}
