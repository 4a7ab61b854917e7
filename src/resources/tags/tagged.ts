import { type RawBuilder, sql } from 'kysely'

/** Whether the JSON array of tags in a column holds any of these, or all of them. */
export const tagged = (
  tags: readonly string[],
  match: 'any' | 'all' = 'any',
  column: RawBuilder<unknown> = sql.ref('tags'),
): RawBuilder<boolean> => (match === 'all' ? sql`${column} ?& ${tags}::text[]` : sql`${column} ?| ${tags}::text[]`)
