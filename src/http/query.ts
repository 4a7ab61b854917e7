/** A schema of query parameters, as far as the parser reads it. */
interface QuerySchema {
  properties?: Record<string, { type?: string; items?: object }>
}

const TRUE = /^(true|1)$/i
const FALSE = /^(false|0)$/i

/** A value by its type; text that isn't one of that type stays text. */
function readOne(text: string, type: string | undefined): unknown {
  if (type === 'integer' && /^\d+$/.test(text)) return Number(text)
  if (type === 'boolean' && TRUE.test(text)) return true
  if (type === 'boolean' && FALSE.test(text)) return false
  return text
}

/**
 * Converts a parsed query string to the types of its schema: arrays from repeated keys (`tags=a&tags=b`, also `tags[]=a`),
 * booleans and whole numbers from text. Empty values count as absent. Other text stays text, and validation refuses it.
 */
export function readQuery(raw: Record<string, string | string[]>, schema: QuerySchema): Record<string, unknown> {
  // Without a prototype, `__proto__` is an unknown name like any other.
  const query: Record<string, unknown> = Object.create(null)
  for (const [name, sent] of Object.entries(raw)) {
    const bare = name.endsWith('[]') ? name.slice(0, -2) : name
    const parameter = schema.properties?.[bare]
    const key = parameter?.type === 'array' ? bare : name
    const values = [sent].flat().filter((value) => value !== '')
    if (values.length === 0 && parameter) continue
    if (parameter?.type === 'array') {
      const item = (parameter.items as { type?: string } | undefined)?.type
      query[key] = [...((query[key] as unknown[]) ?? []), ...values.map((value) => readOne(value, item))]
    } else {
      query[key] = values.length === 1 ? readOne(values[0]!, parameter?.type) : values
    }
  }
  return query
}
