import { type Dialect, kindOf, type Path } from '../shape.ts'
import { refuse } from '../stub.ts'

/** The path of a value as OpenAI writes it: `messages[0].content`. */
export const pathOf = (path: Path) =>
  path.map((step, at) => (typeof step === 'number' ? `[${step}]` : at === 0 ? step : `.${step}`)).join('')

const ARTICLES: Record<string, string> = {
  array: 'an array',
  boolean: 'a boolean',
  integer: 'an integer',
  null: 'null',
  number: 'a decimal',
  object: 'an object',
  string: 'a string',
}

/** Refuses a request in the words of OpenAI. */
export const invalid = (message: string, param: string | null = null, code: string | null = null) =>
  refuse(message, { type: 'invalid_request_error', param, code })

const listed = (values: readonly string[]) => {
  const quoted = values.map((value) => `'${value}'`)
  return quoted.length < 2 ? quoted.join('') : `${quoted.slice(0, -1).join(', ')}, and ${quoted.at(-1)}`
}

export const OPENAI: Dialect = {
  unknown(path, field) {
    const param = pathOf([...path, field])
    return invalid(`Unknown parameter: '${param}'.`, param, 'unknown_parameter')
  },
  missing(path, field) {
    const param = pathOf([...path, field])
    return invalid(`Missing required parameter: '${param}'.`, param, 'missing_required_parameter')
  },
  wrongKind(path, kinds, value) {
    const param = pathOf(path)
    const [first = '', ...more] = kinds.map((kind) => ARTICLES[kind] ?? kind)
    const expected = more.length === 0 ? first : `one of ${[first, ...more].join(' or ')}`
    const message = `Invalid type for '${param}': expected ${expected}, but got ${ARTICLES[kindOf(value)]} instead.`
    return invalid(message, param, 'invalid_type')
  },
  wrongValue(path, allowed, value) {
    return invalid(
      `Invalid value: '${value}'. Supported values are: ${listed(allowed)}.`,
      pathOf(path),
      'invalid_value',
    )
  },
}

export function checkNotEmpty(list: readonly unknown[], path: Path): void {
  if (list.length > 0) return
  const param = pathOf(path)
  const expected = 'Expected an array with minimum length 1, but got an empty array instead.'
  invalid(`Invalid '${param}': empty array. ${expected}`, param, 'empty_array')
}

export function checkLength(text: string, most: number, path: Path): void {
  if (text.length <= most) return
  const param = pathOf(path)
  const expected = `Expected a string with maximum length ${most}, but got a string with length ${text.length} instead.`
  invalid(`Invalid '${param}': string too long. ${expected}`, param, 'string_above_max_length')
}

/** Checks the name of a function: letters, digits, "_" and "-", at most 64. */
export function checkName(name: string, path: Path): void {
  const param = pathOf(path)
  if (name === '') {
    const expected = 'Expected a string with minimum length 1, but got an empty string instead.'
    invalid(`Invalid '${param}': empty string. ${expected}`, param, 'empty_string')
  }
  if (!/^[a-zA-Z0-9_-]+$/.test(name)) {
    const expected = "Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'."
    invalid(`Invalid '${param}': string does not match pattern. ${expected}`, param, 'invalid_value')
  }
  checkLength(name, 64, path)
}

export function checkRange(value: unknown, path: Path, least: number, most: number, kind = 'decimal'): void {
  if (typeof value !== 'number' || (value >= least && value <= most)) return
  const param = pathOf(path)
  const [side, code, sign, bound] =
    value < least ? ['below minimum', 'below_min', '>=', least] : ['above maximum', 'above_max', '<=', most]
  const expected = `Expected a value ${sign} ${bound}, but got ${value} instead.`
  invalid(`Invalid '${param}': ${kind} ${side} value. ${expected}`, param, `${kind}_${code}_value`)
}

/**
 * Checks that arguments are the JSON of an object. OpenAI itself takes any text; servers that speak its wire, such as vLLM
 * and llama.cpp, refuse it, and the text is llama.cpp's.
 */
export function checkArguments(text: string, path: Path): void {
  let reason = 'the arguments are not an object'
  try {
    if (kindOf(JSON.parse(text)) === 'object') return
  } catch (error) {
    reason = (error as Error).message
  }
  invalid(`Failed to parse tool call arguments as JSON: ${reason}`, pathOf(path))
}
