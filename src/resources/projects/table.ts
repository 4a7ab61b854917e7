import type { OwnedRow } from '../../db/tables.ts'

export interface ProjectRow extends OwnedRow {
  name: string
  slug: string
}

declare module '../../db/tables.ts' {
  interface Tables {
    projects: ProjectRow
  }
}
