/** Keys whose values are the caller's own JSON, nulls and all. */
const OWN = new Set(['json_schema', 'args', 'metadata'])

/** The same settings without the fields that hold null, at any depth: null says "no value" in them. */
export function withoutNulls<T>(value: T): T {
  if (Array.isArray(value)) return value.map(withoutNulls) as T
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, inner]) => inner !== null)
      .map(([key, inner]) => [key, OWN.has(key) ? inner : withoutNulls(inner)]),
  ) as T
}

const MAX_DEPTH = 64

/** What can be kept whatever it is. */
const isPlain = (value: unknown) => value === null || typeof value === 'boolean' || Number.isSafeInteger(value)

/**
 * What makes a JSON value impossible to store as it is, or undefined: a NUL character, half of a surrogate pair, a number
 * that has lost digits, or nesting deeper than 64. `path` is where.
 */
export function storageFault(value: unknown, path = '', depth = 0): { path: string; message: string } | undefined {
  if (typeof value === 'string') {
    if (value.includes('\0')) return { path, message: 'must not contain a NUL character' }
    if (!value.isWellFormed()) return { path, message: 'must be well-formed Unicode: it holds half a surrogate pair' }
    return undefined
  }
  if (
    typeof value === 'number' &&
    (!Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value)))
  ) {
    return { path, message: 'is too large a number to be kept exactly: send it as a string' }
  }
  if (value === null || typeof value !== 'object') return undefined
  if (depth >= MAX_DEPTH) return { path, message: `must not be nested deeper than ${MAX_DEPTH} levels` }
  const inside = (key: string | number) => (path ? `${path}.${key}` : `${key}`)
  // Without lists of their keys, which of millions of values would take more than the values.
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at++) {
      const fault = isPlain(value[at]) ? undefined : storageFault(value[at], inside(at), depth + 1)
      if (fault) return fault
    }
    return undefined
  }
  for (const key in value) {
    const fault =
      storageFault(key, inside(key), depth) ??
      storageFault((value as Record<string, unknown>)[key], inside(key), depth + 1)
    if (fault) return fault
  }
  return undefined
}
