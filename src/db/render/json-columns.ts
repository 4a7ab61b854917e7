import { FIELDS, VALUES } from '../../lib/vendor-names.ts'

/** SQL that renders columns as JSON. */

/** Whose names the JSON bears: this API's, or those of the vendor on `/letta`. */
export type Names = 'neutral' | 'vendor'

interface Field {
  type?: unknown
  format?: string
  title?: string
  enum?: unknown[]
}

/** A shape whose fields are rendered, and where each field comes from. */
export interface JsonColumns {
  shape: { properties: object }
  /** SQL of a field's value. */
  source(field: string): string
  /** The columns that hold flat JSON objects with keys that have vendor names. */
  vendorKeyed?: readonly string[] | undefined
}

const literal = (text: string) => `'${text}'`

/** SQL of the vendor's name, where it differs. */
function renamed(column: string, names: Readonly<Record<string, string>>, keys: readonly string[]): string {
  const cases = keys.flatMap((key) => (names[key] ? [`when ${literal(key)} then ${literal(names[key])}`] : []))
  return cases.length > 0 ? `case ${column} ${cases.join(' ')} else ${column} end` : column
}

function renamedKeys(column: string): string {
  const fields = Object.keys(FIELDS)
  return `case when ${column} ?| array[${fields.map(literal).join(', ')}]
    then (select jsonb_object_agg(${renamed('key', FIELDS, fields)}, value) from jsonb_each(${column}))
    else ${column} end::text`
}

/** SQL of a column as JSON text, null where the column has no value. */
function columnJson(column: string, { type, format, title, enum: values }: Field, names: Names): string {
  // PostgreSQL's text of numbers, booleans and JSON is JSON.
  if (type !== 'string') return `${column}::text`
  if (format === 'date-time')
    return `'"' || to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"'`
  // Ids and the values of enumerations need no escaping.
  if (values) return `'"' || ${names === 'vendor' ? renamed(column, VALUES, values as string[]) : column} || '"'`
  if (title?.endsWith('-<uuid>')) return `'"' || ${column} || '"'`
  return `to_json(${column})::text`
}

/** SQL of the members of a shape's JSON object, each null where its field has no value. */
export const jsonMembers = ({ shape, source, vendorKeyed = [] }: JsonColumns, names: Names): string =>
  Object.entries(shape.properties)
    .map(([name, field]) => {
      const keyed = names === 'vendor' && vendorKeyed.includes(name)
      return `'"${name}":' || ${keyed ? renamedKeys(source(name)) : columnJson(source(name), field, names)}`
    })
    .join(', ')

/** SQL of the JSON object of these members. Members that are null are left out: the wire leaves out absent fields. */
export const jsonObject = (...members: string[]): string => `'{' || concat_ws(',', ${members.join(', ')}) || '}'`
