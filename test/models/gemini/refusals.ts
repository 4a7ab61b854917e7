import type { Dialect, Path } from '../shape.ts'
import { refuse } from '../stub.ts'

/** Refuses a request in the words of Gemini. */
export const invalid = (message: string): never => refuse(message, { status: 'INVALID_ARGUMENT' })

const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** The path of a value as Gemini writes it: `contents[0].parts[1].function_call`. */
export const pathOf = (path: Path) =>
  path.map((step, at) => (typeof step === 'number' ? `[${step}]` : `${at > 0 ? '.' : ''}${snake(step)}`)).join('')

/** A value that breaks a rule: these errors are listed, one a line. */
export const broken = (path: Path, reason: string): never =>
  invalid(`* GenerateContentRequest.${pathOf(path)}: ${reason}\n`)

export const unknownName = (path: Path, field: string, reason = 'Cannot find field.'): never => {
  const where = path.length > 0 ? ` at '${pathOf(path)}'` : ''
  return invalid(`Invalid JSON payload received. Unknown name "${field}"${where}: ${reason}`)
}

const TYPES: Record<string, string> = {
  boolean: 'TYPE_BOOL',
  integer: 'TYPE_INT32',
  number: 'TYPE_DOUBLE',
  object: 'type.googleapis.com/google.protobuf.Struct',
  string: 'TYPE_STRING',
}

export const GEMINI: Dialect = {
  unknown: unknownName,
  missing(path, field) {
    if (path.length === 0) return broken([field], `${field} is not specified`)
    return broken([...path, field], field === 'name' ? 'Name cannot be empty.' : 'missing field.')
  },
  wrongKind(path, kinds, value) {
    if (Array.isArray(value)) {
      return unknownName(path.slice(0, -1), String(path.at(-1)), 'Proto field is not repeating, cannot start list.')
    }
    return invalid(`Invalid value at '${pathOf(path)}' (${TYPES[kinds[0]!] ?? kinds[0]}), ${JSON.stringify(value)}`)
  },
  wrongValue: (path, _allowed, value) =>
    invalid(`Invalid value at '${pathOf(path)}' (TYPE_ENUM), ${JSON.stringify(value)}`),
}

const NAME =
  'Invalid function name. Must start with a letter or an underscore. Must be alphameric (a-z, A-Z, 0-9), underscores (_), ' +
  'dots (.) or dashes (-), with a maximum length of 64.'

export function checkName(name: string, path: Path): void {
  if (!/^[a-zA-Z_][\w.-]{0,63}$/.test(name)) broken(path, NAME)
}
