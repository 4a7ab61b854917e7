/**
 * The rows of every table. Each resource adds its own, beside its code:
 * `declare module '../../db/tables.ts' { interface Tables { archives: ArchiveRow } }`.
 */
// biome-ignore lint/suspicious/noEmptyInterface: filled by the resources
export interface Tables {}

/** The columns of every owned table. */
export interface OwnedRow {
  organization_id: string
  id: string
  version: number
  created_at: string
  updated_at: string
  created_by_id: string | null
  last_updated_by_id: string | null
}
