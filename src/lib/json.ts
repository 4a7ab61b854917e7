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
  for (const [key, inner] of Object.entries(value)) {
    const at = path ? `${path}.${key}` : key
    const fault = storageFault(key, at, depth) ?? storageFault(inner, at, depth + 1)
    if (fault) return fault
  }
  return undefined
}

/** JSON text from the database, on its way to the wire: it is spliced in as it is, never parsed on the way. */
export class RawJson {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }

  toJSON(): unknown {
    return JSON.parse(this.text)
  }
}

/** Characters that need escaping in a JSON string. Most strings have none, and go out between quotes as they are. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const ESCAPED = /["\\\u0000-\u001f\ud800-\udfff]/

const quote = (text: string) => (text.length < 64 && !ESCAPED.test(text) ? `"${text}"` : JSON.stringify(text))

/** What `JSON.stringify` would give, with RawJson spliced in. */
export const serialize = (value: unknown): string => write(value, new Map()) ?? 'null'

/** `names`: keys that were written before, in their quotes. A page has few of them, many times each. */
function write(value: unknown, names: Map<string, string>): string | undefined {
  switch (typeof value) {
    case 'string':
      return quote(value)
    case 'number':
      return Number.isFinite(value) ? `${value}` : 'null'
    case 'boolean':
      return value ? 'true' : 'false'
    case 'object':
      if (value === null) return 'null'
      if (value instanceof RawJson) return value.text
      return Array.isArray(value) ? writeArray(value, names) : writeObject(value, names)
    default:
      return undefined
  }
}

function writeArray(list: unknown[], names: Map<string, string>): string {
  let text = '['
  for (let n = 0; n < list.length; n++) text += (n === 0 ? '' : ',') + (write(list[n], names) ?? 'null')
  return `${text}]`
}

function writeObject(object: object, names: Map<string, string>): string {
  let text = '{'
  for (const key in object) {
    const inner = write((object as Record<string, unknown>)[key], names)
    if (inner === undefined) continue
    let name = names.get(key)
    if (name === undefined) {
      name = `${JSON.stringify(key)}:`
      names.set(key, name)
    }
    text += (text.length === 1 ? '' : ',') + name + inner
  }
  return `${text}}`
}
