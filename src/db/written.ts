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

/**
 * Statements that write what goes out: a text for each row, which passes through as it is. What many rows have in them,
 * or one of them twice, leaves the database once: a shared text, to which the rows' refer.
 */

/** Stands around the id of a shared text in another, which has none of its own: in JSON it is escaped. */
const REFERENCE = '\u0002'

/** SQL that stands for the shared text of this id. */
export const referenceTo = (id: RawBuilder<unknown>) => sql`chr(2) || ${id} || chr(2)`

export interface WrittenRow {
  id: string
  json: string | null
  /** Its number; null for a shared text. Absent where there are none: the rows then come in their order. */
  n?: number | null
}

/** The rows of shared texts, after those of the page. */
const sharedRows = (shared: readonly string[], nothing: RawBuilder<unknown>) =>
  sql.join(
    shared.map((name) => sql`union all select ${nothing}, id, json from ${sql.table(name)}`),
    sql` `,
  )

/**
 * A page, a row each. `rows` selects the rows in the keyset's order, each with its number, `n`; some more than the page
 * holds.
 */
export function writePage(
  { table }: Resource,
  { limit, backward }: Keyset,
  rows: Expression<unknown>,
  { json, tables = [], joins = [], shared = [] }: WrittenParts,
) {
  const row = sql.table(table)
  // One row more than asked for, to know whether there is a next page; it isn't written.
  const text = sql`${row}.id, case when n <= ${limit} then ${json} end as json`
  const from = sql`from page as ${row} ${sql.join(joins, sql` `)}`
  return sql<WrittenRow>`
    with ${sql.join([sql`page as (select * from ${rows} as ${row} where n <= ${limit}::int + 1)`, ...tables])}
    ${
      shared.length > 0
        ? sql`select n::int, ${text} ${from} ${sharedRows(shared, sql`null`)}`
        : sql`select ${text} ${from} order by n ${sql.raw(backward ? 'desc' : 'asc')}`
    }`
}

/** Puts the shared texts into others, where these refer to them. */
function sharing(rows: readonly WrittenRow[], { complete = (text) => text }: Written): (text: string) => string[] {
  const shared = new Map<string, string>()
  for (const { n, id, json } of rows) if (n === null) shared.set(id, complete(json!))
  if (shared.size === 0) return (text) => [text]
  return (text) => {
    const parts = text.split(REFERENCE)
    // Text, id, text, …
    for (let at = 1; at < parts.length; at += 2) {
      const part = shared.get(parts[at]!)
      if (part === undefined) throw new Error(`A text refers to ${parts[at]}, which isn't there.`)
      parts[at] = part
    }
    return parts
  }
}

/** A page ready to go out. */
export function pageOf<Wire>(rows: WrittenRow[], { limit, backward }: Keyset, written: Written): PageOf<Wire> {
  const numbered = rows[0]?.n !== undefined
  const page = numbered
    ? rows.filter(({ n }) => n !== null).sort((one, other) => (backward ? other.n! - one.n! : one.n! - other.n!))
    : rows
  const more = page.length > limit
  if (more) page.splice(backward ? 0 : limit, 1)
  const texts = page.map((row) => row.json!)
  const answer = new RawJson(numbered ? texts.map(sharing(rows, written)) : texts) as unknown as PageOf<Wire>
  if (more) answer[NEXT] = backward ? { before: page[0]!.id } : { after: page.at(-1)!.id }
  return answer
}

/** One row: its JSON, its version. */
export const writeOne = (
  { table }: Resource,
  organizationId: string,
  id: string,
  { json, tables = [], joins = [], shared = [] }: WrittenParts,
) => sql<WrittenOne>`
  with ${sql.join([
    sql`page as (select * from ${sql.table(table)} where organization_id = ${organizationId} and id = ${id})`,
    ...tables,
  ])}
  select 1 as n, ${sql.ref(`${table}.version`)}, ${sql.ref(`${table}.id`)}, ${json} as json
  from page as ${sql.table(table)} ${sql.join(joins, sql` `)} ${sharedRows(shared, sql`null, null`)}`

export interface WrittenOne extends WrittenRow {
  version: number
}

/** One resource ready to go out, or undefined. */
export function oneOf<Wire>(rows: readonly WrittenOne[], composed: boolean, written: Written) {
  const row = rows.find(({ n }) => n !== null)
  return (
    row &&
    (Object.assign(new RawJson(sharing(rows, written)(row.json!).join('')), {
      [VERSION]: row.version,
      [COMPOSED]: composed,
    }) as unknown as Wire & Versioned)
  )
}

/**
 * A table `name` of what is attached to the rows of `page`, by `owner`: the JSON array of it (`json`) and of its ids
 * (`ids`), in the order it was attached. What it refers to is in the table `sharedBy(name)`.
 */
export function attached(
  name: string,
  link: Link,
  target: Resource,
  { organizationId, names }: { organizationId: string; names: Names },
): RawBuilder<unknown>[] {
  const links = sql.table(`${name}_links`)
  const row = sql.table(target.table)
  return [
    sql`${links} as materialized (
      select ${sql.ref(link.ownerColumn)} as owner, ${sql.ref(link.targetColumn)} as target, position
      from ${sql.table(link.table)} where organization_id = ${organizationId}
        and ${sql.ref(link.ownerColumn)} in (select id from page))`,
    sql`${sql.table(sharedBy(name))} as (
      select ${row}.id, ${target.written[names].json} as json from ${row}
      where ${row}.organization_id = ${organizationId} and ${row}.id in (select target from ${links}))`,
    sql`${sql.table(name)} as (
      select owner, '[' || string_agg(${referenceTo(sql`target`)}, ',' order by position) || ']' as json,
        json_agg(target order by position)::text as ids
      from ${links} group by owner)`,
  ]
}

/** The table of the texts that a table of attached things refers to. */
export const sharedBy = (name: string) => `${name}_shared`
