import { type Dialect, kindOf, type Path } from '../shape.ts'
import { refuse } from '../stub.ts'

/** Refuses a request in the words of Anthropic. */
export const invalid = (message: string): never => refuse(message, { type: 'invalid_request_error' })

const KINDS: Record<string, string> = {
  array: 'list',
  boolean: 'boolean',
  integer: 'integer',
  number: 'number',
  object: 'dictionary',
  string: 'string',
}

const quoted = (values: readonly string[]) => values.map((value) => `'${value}'`)

export const ANTHROPIC: Dialect = {
  namesVariants: true,
  unknown: (path, field) => invalid(`${[...path, field].join('.')}: Extra inputs are not permitted`),
  missing: (path, field) => invalid(`${[...path, field].join('.')}: Field required`),
  wrongKind: (path, kinds) =>
    invalid(`${path.join('.')}: Input should be a valid ${KINDS[kinds.at(-1)!] ?? kinds.at(-1)}`),
  wrongValue(path, allowed, value) {
    if (path.at(-1) === 'type') {
      const tags = quoted(allowed).join(', ')
      const where = path.slice(0, -1).join('.')
      return invalid(
        `${where}: Input tag '${value}' found using 'type' does not match any of the expected tags: ${tags}`,
      )
    }
    const values = quoted(allowed)
    const options = values.length < 2 ? values.join('') : `${values.slice(0, -1).join(', ')} or ${values.at(-1)}`
    return invalid(`${path.join('.')}: Input should be ${options}`)
  },
}

export function checkPattern(text: string, pattern: RegExp, path: Path): void {
  if (!pattern.test(text)) invalid(`${path.join('.')}: String should match pattern '${pattern.source}'`)
}

export function checkName(name: string, path: Path): void {
  if (name.length > 128) invalid(`${path.join('.')}: String should have at most 128 characters`)
  checkPattern(name, /^[a-zA-Z0-9_-]{1,128}$/, path)
}

export function checkRange(value: unknown, path: Path, least: number, most: number): void {
  if (kindOf(value) !== 'integer' && kindOf(value) !== 'number') return
  if ((value as number) < least) invalid(`${path.join('.')}: Input should be greater than or equal to ${least}`)
  if ((value as number) > most) invalid(`${path.join('.')}: Input should be less than or equal to ${most}`)
}
