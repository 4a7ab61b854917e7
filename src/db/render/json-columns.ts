import { emptyValue } from '../../lib/vendor-empty-values.ts'
import { VALUES } from '../../lib/vendor-names.ts'

/** SQL that renders columns as JSON. */

/** Whose names the JSON bears: this API's, or those of the vendor on `/letta`. */
export type Names = 'neutral' | 'vendor'

interface Field {
  type?: unknown
  format?: string
  title?: string
  enum?: unknown[]
  $ref?: string
  properties?: object
  items?: Field
}

/** A shape whose fields are rendered, and where each field comes from. */
export interface JsonColumns {
  shape: { $id?: string; properties: object }
  /** SQL of a field's value; undefined for a field that never has a value. */
  source(field: string): string | undefined
}

/**
 * Encloses `Shape.field` and the JSON of that field where the JSON is in neutral names and the rest is in the vendor's: JSON
 * that is stored whole is translated after it was read. JSON text escapes this character.
 */
export const UNTRANSLATED = '\u0004'

const literal = (text: string) => `'${text}'`

/** SQL of the vendor's name for a column with these values, where it differs. */
export function renamed(column: string, values: readonly string[]): string {
  const cases = values.flatMap((value) =>
    VALUES[value] ? [`when ${literal(value)} then ${literal(VALUES[value])}`] : [],
  )
  return cases.length > 0 ? `case ${column} ${cases.join(' ')} else ${column} end` : column
}

/** SQL of an instant as the wire has it. */
export const instantText = (column: string) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

/** SQL of a column as JSON text, null where the column has no value. */
function columnJson(column: string, { type, format, title, enum: values }: Field, names: Names): string {
  // PostgreSQL's text of numbers, booleans and JSON is JSON.
  if (type !== 'string') return `${column}::text`
  if (format === 'date-time') return `'"' || ${instantText(column)} || '"'`
  // Ids and the values of enumerations need no escaping.
  if (values) return `'"' || ${names === 'vendor' ? renamed(column, values as string[]) : column} || '"'`
  if (title?.endsWith('-<uuid>')) return `'"' || ${column} || '"'`
  return `to_json(${column})::text`
}

/** Whether JSON of a field has fields of a shape, rather than keys of the caller's own. */
const hasShape = ({ $ref, properties, items }: Field): boolean =>
  Boolean($ref ?? properties) || (items !== undefined && hasShape(items))

/** SQL of a field as JSON text, null where the field has no value. */
export function fieldJson({ shape, source }: JsonColumns, name: string, names: Names): string {
  const column = source(name)
  if (column === undefined) return 'null'
  const field = (shape.properties as Record<string, Field>)[name]!
  const json = columnJson(column, field, names)
  if (names === 'neutral' || !hasShape(field)) return json
  return `chr(4) || '${shape.$id}.${name}' || chr(4) || ${json} || chr(4)`
}

/** SQL of the length of a value in bytes; undefined for values that are always short. Compressed JSON counts as it is read. */
function bytesIn(column: string, { type, format, title, enum: values }: Field): string | undefined {
  if (type === 'string') return format || values || title?.endsWith('-<uuid>') ? undefined : `octet_length(${column})`
  if (['integer', 'number', 'boolean'].includes(type as string)) return undefined
  return `case when pg_column_compression(${column}) is null then pg_column_size(${column}) else octet_length(${column}::text) end`
}

/** SQL of the length in bytes of these columns of a table together. */
export function bytesOf({ properties }: JsonColumns['shape'], columns: readonly string[], table: string): string {
  const lengths = columns.flatMap(
    (name) => bytesIn(`"${table}"."${name}"`, (properties as Record<string, Field>)[name]!) ?? [],
  )
  return ['0', ...lengths.map((length) => `coalesce(${length}, 0)`)].join(' + ')
}

/** SQL of the members of a shape's JSON object. In neutral names, a member is null where its field has no value. */
export const jsonMembers = (columns: JsonColumns, names: Names): string =>
  Object.keys(columns.shape.properties)
    .map((name) => {
      const json = fieldJson(columns, name, names)
      const empty = names === 'vendor' ? emptyValue(columns.shape.$id, name) : undefined
      return `'"${name}":' || ${empty === undefined ? json : `coalesce(${json}, ${literal(JSON.stringify(empty))})`}`
    })
    .join(', ')

/** SQL of the JSON object of these members. Members that are null are left out: the wire leaves out absent fields. */
export const jsonObject = (...members: string[]): string => `'{' || concat_ws(',', ${members.join(', ')}) || '}'`
