/** SQL that writes rows as JSON. */

interface Field {
  type?: unknown
  format?: string
  title?: string
  enum?: unknown[]
}

/** SQL that writes a column as JSON text, null where it has no value. */
function toJson(column: string, { type, format, title, enum: values }: Field): string {
  // Numbers, booleans and JSON are written as the database writes them.
  if (type !== 'string') return `${column}::text`
  if (format === 'date-time')
    return `'"' || to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"'`
  // Ids and the values of enumerations have nothing to escape.
  if (values || title?.endsWith('-<uuid>')) return `'"' || ${column} || '"'`
  return `to_json(${column})::text`
}

/** The members of a shape's JSON object, each null where `sourceOf` its field has no value. */
export const membersOf = (shape: { properties: object }, sourceOf: (field: string) => string): string =>
  Object.entries(shape.properties)
    .map(([name, field]) => `'"${name}":' || ${toJson(sourceOf(name), field)}`)
    .join(', ')

/** The JSON object of these members. A null is left out, as a field without a value is on the wire. */
export const objectOf = (...members: string[]): string => `'{' || concat_ws(',', ${members.join(', ')}) || '}'`
