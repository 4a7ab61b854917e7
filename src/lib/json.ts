/** An object without its fields that hold null. The values of its fields stay as they are. */
export const omitNullFields = <T extends object>(value: T) =>
  Object.fromEntries(Object.entries(value).filter(([, field]) => field !== null)) as {
    [K in keyof T]: Exclude<T[K], null>
  }

/** A value whose fields don't hold null. */
type WithoutNulls<T> = T extends object ? { [K in keyof T]: WithoutNulls<Exclude<T[K], null>> } : T

/**
 * A value without its fields that hold null, at any depth: null says "no value" in settings. Fields named `freeKey` hold
 * the caller's own JSON, in which null is a value: they stay as they are.
 */
export function omitNulls<T>(value: T, freeKey?: string): WithoutNulls<T> {
  if (Array.isArray(value)) return value.map((item) => omitNulls(item, freeKey)) as WithoutNulls<T>
  if (value === null || typeof value !== 'object') return value as WithoutNulls<T>
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, inner]) => inner !== null)
      .map(([key, inner]) => [key, key === freeKey ? inner : omitNulls(inner, freeKey)]),
  ) as WithoutNulls<T>
}

const MAX_DEPTH = 64

/** Whether a value can be stored without a look inside it. */
const isPlain = (value: unknown) => value === null || typeof value === 'boolean' || Number.isSafeInteger(value)

/**
 * The first part of a JSON value that can't be stored exactly, or undefined: a NUL character, half of a surrogate pair, a
 * number that has lost digits, or nesting deeper than 64.
 */
export function storageIssue(value: unknown, path = '', depth = 0): { path: string; message: string } | undefined {
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
  // Object.entries of millions of values would take more memory than the values.
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at++) {
      const issue = isPlain(value[at]) ? undefined : storageIssue(value[at], inside(at), depth + 1)
      if (issue) return issue
    }
    return undefined
  }
  for (const key in value) {
    const issue =
      storageIssue(key, inside(key), depth) ??
      storageIssue((value as Record<string, unknown>)[key], inside(key), depth + 1)
    if (issue) return issue
  }
  return undefined
}
