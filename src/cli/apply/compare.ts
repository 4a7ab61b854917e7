type Fields = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Fields =>
  value !== null && typeof value === 'object' && !Array.isArray(value)

/** Whether a value of the server is as a file wants it: a server may add fields to objects. `null` and absent are equal. */
export function isAsWanted(wanted: unknown, actual: unknown): boolean {
  if (isObject(wanted)) {
    return isObject(actual) && Object.entries(wanted).every(([name, value]) => isAsWanted(value, actual[name]))
  }
  if (Array.isArray(wanted)) {
    if (!Array.isArray(actual) || actual.length !== wanted.length) return false
    return wanted.every((value, index) => isAsWanted(value, actual[index]))
  }
  return (wanted ?? undefined) === (actual ?? undefined)
}

/** A change of a field from the server's value to that of a file. */
export interface FieldChange {
  field: string
  before: unknown
  after: unknown
}

/** The changes that make the fields of `actual` those of `wanted`. Objects keep the fields that the file doesn't name. */
export const changesOf = (wanted: object, actual: object, fields: readonly string[]): FieldChange[] =>
  fields.flatMap((field) => {
    const [after, before] = [(wanted as Fields)[field], (actual as Fields)[field]]
    if (after === undefined || isAsWanted(after, before)) return []
    return [{ field, before, after: isObject(after) && isObject(before) ? { ...before, ...after } : after }]
  })
