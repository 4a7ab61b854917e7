import type { RawBuilder } from 'kysely'

/** How the database renders rows of a table as JSON of `Wire`. The statements of one rendering are compiled once. */
export interface Rendering<Wire = unknown> {
  /** Carries the wire type; never set. */
  wire?: Wire
  /** Names the SQL: for one resource, equal keys mean SQL that differs in the organization's id alone. */
  cacheKey: string
  build(organizationId: unknown): RenderingSql
  /** The query of a GET that renders one row so, where the JSON holds more than the row that the version counts. */
  composed?: string | undefined
  /** Replaces the ciphertexts in a fragment by their plain text: the database doesn't have the key. */
  decryptSecrets?: ((fragment: string) => string) | undefined
}

/** The SQL of a rendering, without any value but the organization's id. */
export interface RenderingSql {
  /** SQL over the row, under the name of its table, and over what is joined to the row. */
  json: RawBuilder<unknown>
  /** Common table expressions over `page`, which has the rows, and `page_ids`. */
  tables?: readonly RawBuilder<unknown>[]
  /** Joins to the row, of at most one row each. */
  joins?: readonly RawBuilder<unknown>[]
  /** The names of the tables that hold fragments (`id`, `json`), for which the rows' JSON has placeholders. */
  fragments?: readonly string[]
  /** SQL of the bytes that joined values of no small bound add to a row's JSON: pages of long rows end early. */
  bytes?: readonly RawBuilder<unknown>[]
}
