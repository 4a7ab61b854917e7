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

/** The row of a resource: its columns bear the names of its wire fields, and are null where an optional field is absent. */
export type RowOf<Wire> = OwnedRow & {
  [F in Exclude<keyof Wire, keyof OwnedRow>]-?: object extends Pick<Wire, F>
    ? Exclude<Wire[F], undefined> | null
    : Wire[F]
}

/** The row of a join table: the columns that refer to its owner and to its target, and the target's place. */
export type LinkRow<References extends string> = Record<'organization_id' | References, string> & { position: number }

/** The values of a write by column, without the columns that the storage layer sets. Undefined values are left out. */
export type Columns<T extends keyof Tables> = {
  readonly [K in Exclude<keyof Tables[T], Exclude<keyof OwnedRow, 'id'>>]?: Tables[T][K] | undefined
}

/** `V` without keys that `C` doesn't have: a misspelt column doesn't compile, wherever the value comes from. */
export type Exactly<C, V extends C> = V & { readonly [K in Exclude<keyof V, keyof C>]: never }
