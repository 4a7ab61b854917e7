import { EXTENSIONS, typeOf } from '../../files/types.ts'
import { ApiError, inBody, invalid, type ValidationIssue } from '../../lib/errors.ts'

const MAX_NAME = 255

/** What an upload is kept as. */
export interface NewFile {
  /** The name it has without the folder's. */
  name: string
  /** Its media type. */
  type: string
}

/** What would steer a terminal or turn the direction of a line, and what file systems refuse. */
const UNSAFE = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]|[<>:"|?*]/gu

/** The last name of a path, without characters that do harm. Throws for one that leaves no name, or a hidden one. */
function safeName(given: string, fault: (message: string) => ValidationIssue): string {
  const name = given.split(/[/\\]/).at(-1)!.replace(UNSAFE, '').normalize('NFC').trim()
  if (name === '') throw invalid(fault('must be a file name'))
  if (name.startsWith('.')) throw invalid(fault('must not begin with a dot'))
  if ([...name].length > MAX_NAME) throw invalid(fault(`must have at most ${MAX_NAME} characters`))
  return name
}

/** What an upload is kept as, by its head and the name asked for. 422 for a name that can't be, 415 for its type. */
export function newFile({ fileName, mediaType }: { fileName: string; mediaType: string }, asked?: string): NewFile {
  const own = () => safeName(fileName, (message) => inBody('file', `its name ${message}`))
  const name = asked === undefined ? own() : safeName(asked, (message) => ({ in: 'query', field: 'name', message }))
  const type = typeOf(mediaType, fileName) ?? typeOf(mediaType, name)
  if (type) return { name, type: type.name }
  const readable = EXTENSIONS.map((extension) => `.${extension}`).join(' ')
  throw new ApiError('unsupported_media_type', `A file of this type can't be read; these can: ${readable}`)
}

/** A name before its extension, and that extension with its dot. */
export function nameParts(name: string): [stem: string, extension: string] {
  const at = name.lastIndexOf('.')
  return at > 0 ? [name.slice(0, at), name.slice(at)] : [name, '']
}
