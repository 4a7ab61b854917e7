import type { Resource } from './resource.ts'

/** A join table: the resources attached to an owner. */
export interface Link {
  table: string
  owner: Resource
  ownerColumn: string
  targetColumn: string
  /** A column of the join row that repeats a column of the target. */
  carries?: { column: string; table: string; from: string }
  /** Other rows refer to the join row: a replaced set keeps the rows that stay, in their old order. */
  keepsRows?: boolean
  /** Messages for violations of the join table's unique constraints, by constraint. */
  conflicts?: Readonly<Record<string, string>>
}

/** A table of attachments. Of a table that is no link, the history alone gets the ids: the caller inserts the rows. */
type Attached = Link | (Pick<Link, 'table'> & { owner?: never })

/** The resources that a new owner gets attached, in this order. */
export type Attachments = readonly (readonly [link: Attached, ids: readonly string[]])[]

/** The resources that new owners get attached, by the owner's id. */
export type AttachmentsByOwner = readonly (readonly [link: Attached, ids: ReadonlyMap<string, readonly string[]>])[]

/** A set of attachments that changed, for the history. */
export interface LinkChange {
  table: string
  added: string[]
  removed: string[]
}
