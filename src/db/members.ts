import { FIELDS, VALUES } from '../lib/vendor-names.ts'

/** SQL that writes rows as JSON. */

/** The type of the column that holds what a row is written as, which no other has: such texts are read to a sheet. */
export const WRITTEN = 'varchar'

/** Whose names the JSON bears: this API's, or the vendor's of `/letta`. */
export type Names = 'neutral' | 'vendor'

interface Field {
  $ref?: string
  type?: unknown
  format?: string
  title?: string
  enum?: unknown[]
}

/** The only shape with fields the vendor calls otherwise: a flat object. */
const RENAMED = 'EmbeddingConfig#'

const literal = (text: string) => `'${text}'`

/** The vendor's name where it is another one. */
function renamed(column: string, names: Readonly<Record<string, string>>, keys: readonly string[]): string {
  const cases = keys.flatMap((key) => (names[key] ? [`when ${literal(key)} then ${literal(names[key])}`] : []))
  return cases.length > 0 ? `case ${column} ${cases.join(' ')} else ${column} end` : column
}

function renamedFields(column: string): string {
  const fields = Object.keys(FIELDS).filter((field) => field.startsWith('cloud_'))
  return `case when ${column} ?| array[${fields.map(literal).join(', ')}]
    then (select jsonb_object_agg(${renamed('key', FIELDS, fields)}, value) from jsonb_each(${column}))
    else ${column} end::text`
}

/** SQL that writes a column as JSON text, null where it has no value. */
function toJson(column: string, { $ref, type, format, title, enum: values }: Field, names: Names): string {
  if ($ref === RENAMED && names === 'vendor') return renamedFields(column)
  // Numbers, booleans and JSON are written as the database writes them.
  if (type !== 'string') return `${column}::text`
  if (format === 'date-time')
    return `'"' || to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"'`
  // Ids and the values of enumerations have nothing to escape.
  if (values) return `'"' || ${names === 'vendor' ? renamed(column, VALUES, values as string[]) : column} || '"'`
  if (title?.endsWith('-<uuid>')) return `'"' || ${column} || '"'`
  return `to_json(${column})::text`
}

/** The members of a shape's JSON object, each null where `sourceOf` its field has no value. */
export const membersOf = (
  shape: { properties: object },
  sourceOf: (field: string) => string,
  names: Names = 'neutral',
): string =>
  Object.entries(shape.properties)
    .map(([name, field]) => `'"${name}":' || ${toJson(sourceOf(name), field, names)}`)
    .join(', ')

/** The JSON object of these members. A null is left out, as a field without a value is on the wire. */
export const objectOf = (...members: string[]): string => `'{' || concat_ws(',', ${members.join(', ')}) || '}'`
