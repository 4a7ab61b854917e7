import { type RawBuilder, sql } from 'kysely'

/**
 * Fragments: JSON that many rows of a page contain, or one row twice. The database sends a fragment once; a row's JSON holds
 * placeholders, which are replaced here. The marks cannot occur in JSON text, which escapes control characters.
 */

/** Encloses the ids of a placeholder, and separates a fragment's id from its JSON. */
const MARK = '\u0002'
/** Ends a fragment. */
const END = '\u0003'

/** SQL that stands for the fragments of these ids: one id, or several separated by commas. */
export const placeholder = (ids: RawBuilder<unknown>) => sql`chr(2) || ${ids} || chr(2)`

/** SQL of all rows (`id`, `json`) of fragment tables as one text. As rows they would be most of a result. */
export function aggregateFragments(tables: readonly string[]): RawBuilder<string> {
  if (tables.length === 0) return sql`''`
  const aggregates = tables.map(
    (table) => sql`(select string_agg(id || chr(2) || json || chr(3), '') from ${sql.table(table)})`,
  )
  return sql`concat(${sql.join(aggregates)})`
}

/** The fragments of an aggregated text by their ids. */
export function parseFragments(text: string): Map<string, string> {
  const fragments = new Map<string, string>()
  for (let at = 0; at < text.length; ) {
    const mark = text.indexOf(MARK, at)
    const end = text.indexOf(END, mark)
    fragments.set(text.slice(at, mark), text.slice(mark + 1, end))
    at = end + 1
  }
  return fragments
}

/** The text of a placeholder's ids. Lists of several ids are added to the fragments: rows often have equal lists. */
function resolve(ids: string, fragments: Map<string, string>): string {
  const known = fragments.get(ids)
  if (known !== undefined) return known
  const list = ids.split(',')
  if (list.length === 1) throw new Error(`The fragment ${ids} of a rendered row is missing.`)
  const text = list.map((id) => resolve(id, fragments)).join()
  fragments.set(ids, text)
  return text
}

/** The segments of a JSON text whose placeholders are replaced by fragments. */
export function replacePlaceholders(text: string, fragments: Map<string, string>): string[] {
  if (fragments.size === 0) return [text]
  // Text, ids, text, …
  return text.split(MARK).map((part, n) => (n % 2 === 0 ? part : resolve(part, fragments)))
}
