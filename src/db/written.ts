import { type Expression, type RawBuilder, sql } from 'kysely'
import { RawJson } from '../lib/json.ts'
import { bytesOf, type Place, type Sheet, writeText } from '../lib/sheet.ts'
import { addSlice, join, type Slices, slicesOf } from '../lib/slices.ts'
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
const COMMA = ','.charCodeAt(0)

/** Stands behind each shared text; a reference mark is between its id and it. */
const SHARED = 3

/** SQL that stands for the shared texts of these ids: one, or several with commas between, as the texts will be. */
export const referenceTo = (ids: RawBuilder<unknown>) => sql`chr(2) || ${ids} || chr(2)`

/** SQL of the columns of a row's id and of what it is written as. */
const asWritten = (id: RawBuilder<unknown>, json: RawBuilder<unknown>) =>
  sql`${id}::${sql.raw(WRITTEN)} as id, (${json})::${sql.raw(WRITTEN)} as json`

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

/** A row by where it is on the sheet. */
export interface WrittenRow {
  id: Place
  json: Place | null
  /** Its number; null for a row of shared texts. Absent where there are none: the rows then come in their order. */
  n?: number | null
}

/** The shared texts, a row for each table of them: received one by one, they would be most of the rows. */
const sharedRows = (shared: readonly string[], nothing: RawBuilder<unknown>) =>
  sql.join(
    shared.map((name) => {
      const texts = sql`string_agg(id || chr(2) || json || chr(3), '')`
      return sql`union all select ${nothing}, ${asWritten(sql`''`, texts)} from ${sql.table(name)}`
    }),
    sql` `,
  )

const sharedOf = (rows: readonly WrittenRow[]) => rows.flatMap(({ n, json }) => (n === null && json ? json : []))

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
  const text = asWritten(sql`${row}.id`, sql`case when n <= ${limit} then ${json} end`)
  const from = sql`from page as ${row} ${sql.join(joins, sql` `)}`
  return sql<WrittenRow>`
    ${withPage(sql`select * from ${rows} as ${row} where n <= ${limit}::int + 1`, tables)}
    ${
      shared.length > 0
        ? sql`select n::int, ${text} ${from} ${sharedRows(shared, sql`null`)}`
        : sql`select ${text} ${from} order by n ${sql.raw(backward ? 'desc' : 'asc')}`
    }`
}

/** Of an id's last eight bytes: in them ids differ most. */
function hashOf(bytes: Buffer, end: number): number {
  let hash = 0
  for (let at = end - 8; at < end; at++) hash = Math.imul(hash, 31) + bytes[at]!
  return hash
}

function same(one: Buffer, start: number, end: number, other: Buffer, from: number, to: number): boolean {
  if (end - start !== to - from) return false
  for (let n = end - start - 1; n >= 0; n--) if (one[start + n] !== other[from + n]) return false
  return true
}

/**
 * Where shared texts begin and end, and before each its id: four numbers a text. Behind each a comma takes the place of
 * its mark, for when it is one of several.
 */
function sharedPlaces(sheet: Sheet, places: readonly Place[]): number[] {
  const found: number[] = []
  for (const place of places) {
    const texts = bytesOf(sheet, place)
    for (let at = 0; at < texts.length; ) {
      const id = texts.indexOf(REFERENCE, at)
      const end = texts.indexOf(SHARED, id)
      texts[end] = COMMA
      found.push(place.from + at, place.from + id, place.from + id + 1, place.from + end)
      at = end + 1
    }
  }
  return found
}

/**
 * Finds the place of a shared text in `places` by the bytes of its id, with a hash table and linear probing (Knuth,
 * TAOCP 3, §6.4): a page refers to thousands of texts, and a string for each would be most of the work.
 */
function finding(bytes: Buffer, places: readonly number[]) {
  const slots = new Int32Array(1 << (33 - Math.clz32(places.length / 4))).fill(-1)
  const mask = slots.length - 1
  for (let n = 0; n < places.length; n += 4) {
    let slot = hashOf(bytes, places[n + 1]!) & mask
    while (slots[slot] !== -1) slot = (slot + 1) & mask
    slots[slot] = n
  }
  return (text: Buffer, start: number, end: number): number => {
    for (let slot = hashOf(text, end) & mask; slots[slot] !== -1; slot = (slot + 1) & mask) {
      const n = slots[slot]!
      if (same(text, start, end, bytes, places[n]!, places[n + 1]!)) return n + 2
    }
    throw new Error(`A text refers to ${text.toString('latin1', start, end)}, which isn't there.`)
  }
}

/** Puts together the texts of rows, with the shared texts where they refer to them. */
function writing(shared: readonly Place[], sheet: Sheet, { complete = (_, text) => text }: Written) {
  if (shared.length === 0) return (text: Slices, { from, to }: Place) => addSlice(text, from, to)
  const places = sharedPlaces(
    sheet,
    shared.map((texts) => complete(sheet, texts)),
  )
  const { bytes } = sheet
  const find = finding(bytes, places)
  return (text: Slices, { from, to }: Place) => {
    const row = bytes.subarray(0, to)
    let at = from
    // Text, ids, text, …
    for (let begin = row.indexOf(REFERENCE, at); begin >= 0; begin = row.indexOf(REFERENCE, at)) {
      addSlice(text, at, begin)
      at = begin + 1
      for (let end = at; end < to; end++) {
        const code = row[end]
        if (code !== REFERENCE && code !== COMMA) continue
        const n = find(row, at, end)
        addSlice(text, places[n]!, places[n + 1]! + (code === COMMA ? 1 : 0))
        at = end + 1
        if (code === REFERENCE) break
      }
    }
    addSlice(text, at, to)
  }
}

/** So long a text, in bytes, goes out faster in one piece. */
const ONE_PIECE = 1 << 20

/** A page ready to go out: a short one in one piece, a long one in the parts it came in. */
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
  const { from } = writeText(sheet, '[,]')
  const write = writing(sharedOf(rows), sheet, written)
  const text = slicesOf(sheet)
  addSlice(text, from, from + 1)
  for (const [n, { json }] of page.entries()) {
    if (n > 0) addSlice(text, from + 1, from + 2)
    write(text, json!)
  }
  addSlice(text, from + 2, from + 3)
  const idOf = (row: WrittenRow | undefined) => bytesOf(sheet, row!.id).toString()
  const next = more && (backward ? { before: idOf(page[0]) } : { after: idOf(page.at(-1)) })
  const list = new RawJson(text.length > ONE_PIECE ? text : join(text)) as unknown as PageOf<Wire>
  if (next) list[NEXT] = next
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
  select 1 as n, ${sql.ref(`${table}.version`)}, ${asWritten(sql.ref(`${table}.id`), json)}
  from page as ${sql.table(table)} ${sql.join(joins, sql` `)} ${sharedRows(shared, sql`null, null`)}`

export interface WrittenOne extends WrittenRow {
  version: number
}

/** One resource ready to go out, or undefined. Its sheet is left to others. */
export function oneOf<Wire>({ rows, sheet }: OnSheet<WrittenOne>, composed: boolean, written: Written) {
  const row = rows.find(({ n }) => n !== null)
  if (!row) return undefined
  const text = slicesOf(sheet)
  writing(sharedOf(rows), sheet, written)(text, row.json!)
  return Object.assign(new RawJson(join(text)), {
    [VERSION]: row.version,
    [COMPOSED]: composed,
  }) as unknown as Wire & Versioned
}

/**
 * A table `name` of what is attached to the rows of `page`, by `owner`: its ids with commas between, in the order it was
 * attached. The texts of these ids are in the table `sharedBy(name)`.
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
      select owner, string_agg(target, ',' order by position) as ids from ${links} group by owner)`,
  ]
}

/** The table of the texts that a table of attached things refers to. */
export const sharedBy = (name: string) => `${name}_shared`
