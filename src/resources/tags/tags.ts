import { type RawBuilder, sql } from 'kysely'
import { escapeLike } from '../../db/escape-like.ts'
import { NEXT, type PageOf } from '../../db/marks.ts'
import type { Scope } from '../../db/scope.ts'
import type { ListTags } from './schema.ts'

/**
 * The tags of the organization's agents and blocks, each once, in code point order. By one statement, which hops from
 * tag to tag through the indexes: it costs by the tags it passes, not by the rows that bear them.
 */
export async function listTags(scope: Scope, query: ListTags): Promise<PageOf<string>> {
  const { limit = 50, order = 'asc', after, before, name = query.query_text } = query
  // The page just before a cursor is fetched from its near end and turned round.
  const backward = before !== undefined && after === undefined
  const [start, end] = backward ? [before, undefined] : [after, before]
  const ascending = (order === 'asc') !== backward
  const direction = ascending ? sql`asc` : sql`desc`
  const beyond = ascending ? sql`>` : sql`<`
  const short = ascending ? sql`<` : sql`>`

  const nearest = (table: string, from: RawBuilder<unknown> | undefined) => sql`(
    select tag from ${sql.table(table)} as tagged where organization_id = ${scope.organizationId}
      ${from ? sql`and tag ${beyond} ${from}` : sql``} ${end === undefined ? sql`` : sql`and tag ${short} ${end}`}
    order by tag ${direction} limit 1)`
  const next = (from: RawBuilder<unknown> | undefined) => sql`(
    select tag from (${nearest('agents_tags', from)} union all ${nearest('blocks_tags', from)}) as nearest
    order by tag ${direction} limit 1)`

  const rows = await scope.read(sql<{ tag: string }>`
    with recursive walk (tag) as (
      select ${next(start === undefined ? undefined : sql`${start}`)}
      union all
      select ${next(sql`walk.tag`)} from walk where walk.tag is not null
    )
    select tag from walk where tag is not null
      ${name === undefined ? sql`` : sql`and tag collate "default" ilike ${`%${escapeLike(name)}%`}`}
    limit ${limit + 1}`)

  const page: PageOf<string> = rows.map((row) => row.tag)
  const more = page.length > limit
  if (more) page.pop()
  if (backward) page.reverse()
  if (more) page[NEXT] = backward ? { before: page[0]! } : { after: page.at(-1)! }
  return page
}
