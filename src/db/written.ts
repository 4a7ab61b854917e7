import { type Expression, type RawBuilder, sql } from 'kysely'
import { RawJson } from '../lib/json.ts'
import type { Names } from './members.ts'
import type { Keyset } from './page.ts'
import {
  COMPOSED,
  type Link,
  NEXT,
  type PageOf,
  type Resource,
  VERSION,
  type Versioned,
  type Written,
  type WrittenParts,
} from './resource.ts'

/** Statements that write what goes out: one row, one text, which passes through as it is. */

/**
 * A page, a row each. `rows` selects the rows in the keyset's order, each with its number, `n`; some more than the page
 * holds.
 */
export function writePage(
  { table }: Resource,
  { limit, backward }: Keyset,
  rows: Expression<unknown>,
  { json, tables = [], joins = [] }: WrittenParts,
) {
  const row = sql.table(table)
  const order = sql.raw(backward ? 'desc' : 'asc')
  // One row more than asked for, to know whether there is a next page; it isn't written.
  return sql<WrittenRow>`
    with ${sql.join([sql`page as (select * from ${rows} as ${row} where n <= ${limit}::int + 1)`, ...tables])}
    select ${row}.id, case when n <= ${limit} then ${json} end as json
    from page as ${row} ${sql.join(joins, sql` `)} order by n ${order}`
}

export interface WrittenRow {
  id: string
  json: string | null
}

const completed = (json: RawJson, { complete }: Written) => (complete ? json.map(complete) : json)

/** A page ready to go out. */
export function pageOf<Wire>(rows: WrittenRow[], { limit, backward }: Keyset, written: Written): PageOf<Wire> {
  const more = rows.length > limit
  if (more) rows.splice(backward ? 0 : limit, 1)
  const page = completed(new RawJson(rows.map((row) => row.json!)), written) as unknown as PageOf<Wire>
  if (more) page[NEXT] = backward ? { before: rows[0]!.id } : { after: rows.at(-1)!.id }
  return page
}

/** One row: its JSON, its version. */
export const writeOne = (
  { table }: Resource,
  organizationId: string,
  id: string,
  { json, tables = [], joins = [] }: WrittenParts,
) => sql<WrittenOne>`
  with ${sql.join([
    sql`page as (select * from ${sql.table(table)} where organization_id = ${organizationId} and id = ${id})`,
    ...tables,
  ])}
  select ${json} as json, ${sql.ref(`${table}.version`)} from page as ${sql.table(table)} ${sql.join(joins, sql` `)}`

export interface WrittenOne {
  json: string
  version: number
}

/** One resource ready to go out. */
export const oneOf = <Wire>({ json, version }: WrittenOne, composed: boolean, written: Written) =>
  Object.assign(completed(new RawJson(json), written), {
    [VERSION]: version,
    [COMPOSED]: composed,
  }) as unknown as Wire & Versioned

/**
 * A table `name` of what is attached to the rows of `page`, by `owner`: the JSON array of it (`json`) and of its ids
 * (`ids`), in the order it was attached. What several owners share is written once.
 */
export function attached(
  name: string,
  link: Link,
  target: Resource,
  { organizationId, names }: { organizationId: string; names: Names },
): RawBuilder<unknown>[] {
  const [links, written] = [sql.table(`${name}_links`), sql.table(`${name}_written`)]
  const row = sql.table(target.table)
  return [
    sql`${links} as materialized (
      select ${sql.ref(link.ownerColumn)} as owner, ${sql.ref(link.targetColumn)} as target, position
      from ${sql.table(link.table)} where organization_id = ${organizationId}
        and ${sql.ref(link.ownerColumn)} in (select id from page))`,
    sql`${written} as materialized (
      select ${row}.id, ${target.written[names].json} as json from ${row}
      where ${row}.organization_id = ${organizationId} and ${row}.id in (select target from ${links}))`,
    sql`${sql.table(name)} as (
      select owner, '[' || string_agg(json, ',' order by position) || ']' as json,
        json_agg(target order by position)::text as ids
      from ${links} join ${written} on ${written}.id = target group by owner)`,
  ]
}
