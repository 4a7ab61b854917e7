import { type Expression, type RawBuilder, sql } from 'kysely'
import { RawJson } from '../lib/json.ts'
import { bytesOf, leaveSheet, type Place, type Sheet, takeSheet, writeBytes } from '../lib/sheet.ts'
import type { OnSheet } from './context.ts'
import { type Names, WRITTEN } from './members.ts'
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

/** Stands around the ids of shared texts in another, which has none of its own: in JSON it is escaped. */
const REFERENCE = 2

/** SQL that stands for the shared texts of these ids: one, or several with commas between, as the texts will be. */
export const referenceTo = (ids: RawBuilder<unknown>) => sql`chr(2) || ${ids} || chr(2)`

/** SQL of the column of what a row is written as. */
const asWritten = (json: RawBuilder<unknown>) => sql`(${json})::${sql.raw(WRITTEN)} as json`

/**
 * SQL that keeps the rows whose `column` is an id of the page's. A list is looked up by one walk of an index, where a
 * table would be by a walk for each row.
 */
export const onPage = (column: RawBuilder<unknown>) => sql`${column} = any((select ids from page_ids)::text[])`

/** The page and, with tables that ask for them, its ids. */
const withPage = (page: RawBuilder<unknown>, tables: readonly RawBuilder<unknown>[]) =>
  tables.length === 0
    ? sql`with page as (${page})`
    : sql`with page as (${page}), page_ids as materialized (select array(select id from page) as ids),
      ${sql.join(tables)}`

export interface WrittenRow {
  id: string
  /** Where on the sheet it is. */
  json: Place | null
  /** Its number; null for a shared text. Absent where there are none: the rows then come in their order. */
  n?: number | null
}

/** The rows of shared texts, after those of the page. */
const sharedRows = (shared: readonly string[], nothing: RawBuilder<unknown>) =>
  sql.join(
    shared.map((name) => sql`union all select ${nothing}, id, ${asWritten(sql`json`)} from ${sql.table(name)}`),
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
  const text = sql`${row}.id, ${asWritten(sql`case when n <= ${limit} then ${json} end`)}`
  const from = sql`from page as ${row} ${sql.join(joins, sql` `)}`
  return sql<WrittenRow>`
    ${withPage(sql`select * from ${rows} as ${row} where n <= ${limit}::int + 1`, tables)}
    ${
      shared.length > 0
        ? sql`select n::int, ${text} ${from} ${sharedRows(shared, sql`null`)}`
        : sql`select ${text} ${from} order by n ${sql.raw(backward ? 'desc' : 'asc')}`
    }`
}

/** Writes the text of a row, with the shared texts where it refers to them. */
type Write = (to: Sheet, place: Place) => void

function writing(rows: readonly WrittenRow[], sheet: Sheet, { complete = (text) => text }: Written): Write {
  const shared = new Map<string, Buffer>()
  for (const { n, id, json } of rows) if (n === null) shared.set(id, complete(bytesOf(sheet, json!)))
  if (shared.size === 0) return (to, place) => writeBytes(to, bytesOf(sheet, place))
  return (to, place) => {
    const text = bytesOf(sheet, place)
    let at = 0
    // Text, ids, text, …
    for (let begin = text.indexOf(REFERENCE); begin >= 0; begin = text.indexOf(REFERENCE, at)) {
      const end = text.indexOf(REFERENCE, begin + 1)
      writeBytes(to, text.subarray(at, begin))
      let rest = false
      for (const id of text.toString('latin1', begin + 1, end).split(',')) {
        const part = shared.get(id)
        if (part === undefined) throw new Error(`A text refers to ${id}, which isn't there.`)
        if (rest) writeBytes(to, COMMA)
        writeBytes(to, part)
        rest = true
      }
      at = end + 1
    }
    writeBytes(to, text.subarray(at))
  }
}

const [OPEN, COMMA, CLOSE] = ['[', ',', ']'].map((text) => Buffer.from(text)) as [Buffer, Buffer, Buffer]

/** A page ready to go out. Its sheet is left to others. */
export function pageOf<Wire>(
  { rows, sheet }: OnSheet<WrittenRow>,
  { limit, backward }: Keyset,
  written: Written,
): PageOf<Wire> {
  const numbered = rows[0]?.n !== undefined
  const page = numbered
    ? rows.filter(({ n }) => n !== null).sort((one, other) => (backward ? other.n! - one.n! : one.n! - other.n!))
    : rows
  const more = page.length > limit
  if (more) page.splice(backward ? 0 : limit, 1)
  const write = writing(numbered ? rows : [], sheet, written)
  const answer = takeSheet()
  writeBytes(answer, OPEN)
  for (const [n, { json }] of page.entries()) {
    if (n > 0) writeBytes(answer, COMMA)
    write(answer, json!)
  }
  writeBytes(answer, CLOSE)
  leaveSheet(sheet)
  const list = new RawJson(answer) as unknown as PageOf<Wire>
  if (more) list[NEXT] = backward ? { before: page[0]!.id } : { after: page.at(-1)!.id }
  return list
}

/** One row: its JSON, its version. */
export const writeOne = (
  { table }: Resource,
  organizationId: string,
  id: string,
  { json, tables = [], joins = [], shared = [] }: WrittenParts,
) => sql<WrittenOne>`
  ${withPage(sql`select * from ${sql.table(table)} where organization_id = ${organizationId} and id = ${id}`, tables)}
  select 1 as n, ${sql.ref(`${table}.version`)}, ${sql.ref(`${table}.id`)}, ${asWritten(json)}
  from page as ${sql.table(table)} ${sql.join(joins, sql` `)} ${sharedRows(shared, sql`null, null`)}`

export interface WrittenOne extends WrittenRow {
  version: number
}

/** One resource ready to go out, or undefined. Its sheet is left to others. */
export function oneOf<Wire>({ rows, sheet }: OnSheet<WrittenOne>, composed: boolean, written: Written) {
  const row = rows.find(({ n }) => n !== null)
  if (!row) return undefined
  const answer = takeSheet()
  writing(rows, sheet, written)(answer, row.json!)
  leaveSheet(sheet)
  return Object.assign(new RawJson(answer), {
    [VERSION]: row.version,
    [COMPOSED]: composed,
  }) as unknown as Wire & Versioned
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
        and ${onPage(sql.ref(link.ownerColumn))})`,
    sql`${sql.table(sharedBy(name))} as (
      select ${row}.id, ${target.written[names].json} as json from ${row}
      where ${row}.organization_id = ${organizationId} and ${row}.id = any(array(select target from ${links})))`,
    // Materialized, as the rest is: the planner of a database without statistics would make it anew for each row.
    sql`${sql.table(name)} as materialized (
      select owner, '[' || ${referenceTo(sql`string_agg(target, ',' order by position)`)} || ']' as json,
        '["' || string_agg(target, '","' order by position) || '"]' as ids
      from ${links} group by owner)`,
  ]
}

/** The table of the texts that a table of attached things refers to. */
export const sharedBy = (name: string) => `${name}_shared`
