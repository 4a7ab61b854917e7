import type { RowOf } from '../../db/tables.ts'
import type { SandboxConfig } from './schema.ts'

declare module '../../db/tables.ts' {
  interface Tables {
    sandbox_configs: RowOf<SandboxConfig>
  }
}
