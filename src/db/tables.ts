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

/** The values of a write by column, without the columns that the storage layer sets. Undefined values are left out. */
export type Columns<T extends keyof Tables> = {
  readonly [K in Exclude<keyof Tables[T], Exclude<keyof OwnedRow, 'id'>>]?: Tables[T][K] | undefined
}

/** `V` without keys that `C` doesn't have: a misspelt column doesn't compile, wherever the value comes from. */
export type Exactly<C, V extends C> = V & { readonly [K in Exclude<keyof V, keyof C>]: never }
