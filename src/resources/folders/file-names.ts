import { EXTENSIONS, typeOf } from '../../files/types.ts'
import { ApiError, inBody, invalid, type ValidationIssue } from '../../lib/errors.ts'

const MAX_NAME = 255

/** The name and type of a new file. */
export interface NewFile {
  /** The name without the folder's name. */
  name: string
  /** The media type. */
  type: string
}

/** Characters that control a terminal or the direction of a line, and characters that file systems refuse. */
const UNSAFE = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]|[<>:"|?*]/gu

/** The last name of a path, without unsafe characters. Throws for an empty, a hidden or a long name. */
function safeName(path: string, issue: (message: string) => ValidationIssue): string {
  const name = path.split(/[/\\]/).at(-1)!.replace(UNSAFE, '').normalize('NFC').trim()
  if (name === '') throw invalid(issue('must be a file name'))
  if (name.startsWith('.')) throw invalid(issue('must not begin with a dot'))
  if ([...name].length > MAX_NAME) throw invalid(issue(`must have at most ${MAX_NAME} characters`))
  return name
}

/** The name and type of an upload, by its head and the requested name. 422 for an invalid name, 415 for an unknown type. */
export function newFile({ fileName, mediaType }: { fileName: string; mediaType: string }, requested?: string): NewFile {
  const own = () => safeName(fileName, (message) => inBody('file', `its name ${message}`))
  const name =
    requested === undefined ? own() : safeName(requested, (message) => ({ in: 'query', field: 'name', message }))
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
