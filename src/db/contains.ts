import { sql } from 'kysely'
import { type Context, readRows, searchRows } from './context.ts'
import { escapeLike } from './escape-like.ts'
import { type Filter, selectOwned, type Table } from './select.ts'

/** The text that a statement of the embedded database looks through, in bytes: the statements of others wait for so long. */
const BYTES_AT_ONCE = 2_000_000

/** The columns of a table that are searched for a part of their text. */
export type TextParts = Readonly<Record<string, string | undefined>>

/** Keeps the rows whose columns have these parts, in any case. */
const hasParts = (table: Table, parts: TextParts) =>
  Object.entries(parts).flatMap(([column, part]) =>
    part === undefined ? [] : sql<boolean>`${sql.ref(`${table}.${column}`)} ilike ${`%${escapeLike(part)}%`}`,
  )

/** The ids at which slices of the rows end that the filter keeps: a slice has some 2 MB of text in these columns. */
async function sliceEnds<T extends Table>(context: Context, table: T, columns: readonly string[], filter: Filter<T>) {
  const { database, actor } = context
  const id = sql.ref(`${table}.id`)
  const bytes = sql.join(
    columns.map((column) => sql`coalesce(octet_length(${sql.ref(`${table}.${column}`)}), 0)`),
    sql` + `,
  )
  const sized = filter(selectOwned(database.kysely, table, actor.organizationId)).select(
    () =>
      [sql`${id}`.as('id'), sql`sum(${bytes}) over (order by ${id}) / ${sql.lit(BYTES_AT_ONCE)}`.as('slice')] as never,
  )
  const slices = sql<{
    last: string
  }>`select max(id) as last from (${sized}) as sized group by floor(slice) order by last`
  return (await readRows<{ last: string }>(context, slices)).map(({ last }) => last)
}

/**
 * A filter for the rows that `filter` keeps and whose columns have these parts, in any case. Long texts take long: a list or a
 * count by this filter ends when the signal is aborted, and after ten seconds (503), and an organization runs one of them at a
 * time. The embedded database looks through long texts by many statements, so that those of others run in between.
 */
export async function containing<T extends Table>(
  context: Context,
  table: T,
  parts: TextParts,
  filter: Filter<T>,
  signal = new AbortController().signal,
): Promise<Filter<T>> {
  const { database, actor } = context
  const conditions = hasParts(table, parts)
  if (conditions.length === 0) return filter
  const matching: Filter<T> = (query) => conditions.reduce((kept, one) => kept.where(one), filter(query))
  const columns = Object.keys(parts).filter((column) => parts[column] !== undefined)
  const ends = database.engine === 'embedded' ? await sliceEnds(context, table, columns, filter) : []
  if (ends.length < 2) return Object.assign(matching, { signal })
  const id = sql.ref(`${table}.id`)
  const found = await database.searchTurns(actor.organizationId, async () => {
    const ids: string[] = []
    for (const [n, end] of ends.entries()) {
      const slice = matching(selectOwned(database.kysely, table, actor.organizationId))
        .select(() => sql<string>`${id}`.as('id') as never)
        .where(sql<boolean>`${id} > ${ends[n - 1] ?? ''} and ${id} <= ${end}`)
      const rows = await searchRows<{ id: string }>(context, slice.compile() as never, signal)
      ids.push(...rows.map((row) => row.id))
    }
    return ids
  })
  return (query) => query.where(sql<boolean>`${id} = any(${found}::text[])`)
}
