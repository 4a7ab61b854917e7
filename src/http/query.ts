/** How the values of a query string are read, by the parameter's schema. */

interface QuerySchema {
  properties?: Record<string, { type?: string; items?: object }>
}

const TRUE = /^(true|1)$/i
const FALSE = /^(false|0)$/i

function readOne(text: string, type: string | undefined): unknown {
  if (type === 'integer' && /^\d+$/.test(text)) return Number(text)
  if (type === 'boolean' && TRUE.test(text)) return true
  if (type === 'boolean' && FALSE.test(text)) return false
  return text
}

/**
 * Reads a parsed query string as its schema means it: arrays from repeated keys (`tags=a&tags=b`, also `tags[]=a`),
 * booleans and whole numbers from text. Empty values count as absent. What doesn't read as its type stays text, for the
 * validation to refuse.
 */
export function readQuery(raw: Record<string, string | string[]>, schema: QuerySchema): Record<string, unknown> {
  // Without a prototype, so that `__proto__` is a name like any other: an unknown one.
  const query: Record<string, unknown> = Object.create(null)
  for (const [name, given] of Object.entries(raw)) {
    const bare = name.endsWith('[]') ? name.slice(0, -2) : name
    const parameter = schema.properties?.[bare]
    const key = parameter?.type === 'array' ? bare : name
    const values = (Array.isArray(given) ? given : [given]).filter((value) => value !== '')
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
