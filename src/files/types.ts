import type { Language } from './separators.ts'

/** How the bytes of a file become text, and how the text is split. */
export interface FileType {
  /** The media type, in lower case. */
  name: string
  format: 'text' | 'csv' | 'html' | 'page' | 'pdf' | 'docx'
  /** The address to which those of links are relative, of a page. */
  base?: string
  /** The language of the text, if separators of the language are known. */
  language?: Language
}

type Entry = readonly [extensions: string, names: string, how?: Omit<FileType, 'name'>]

const code = (language: Language) => ({ format: 'text', language }) as const

const DOCX = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'

/** The readable types: extensions, media types with the usual one first, and format. */
const ENTRIES: readonly Entry[] = [
  ['pdf', 'application/pdf application/x-pdf', { format: 'pdf' }],
  ['docx', DOCX, { format: 'docx' }],
  ['html htm', 'text/html application/xhtml+xml', { format: 'html' }],
  ['csv', 'text/csv application/csv', { format: 'csv' }],
  ['txt', 'text/plain'],
  ['md markdown', 'text/markdown text/x-markdown', code('markdown')],
  ['json', 'application/json text/json'],
  ['jsonl', 'application/jsonl application/x-ndjson application/x-jsonlines'],
  ['py', 'text/x-python text/x-script.python application/x-python-code', code('python')],
  ['js', 'text/javascript application/javascript application/x-javascript', code('js')],
  ['ts', 'text/typescript application/typescript text/x-typescript', code('js')],
  ['jsx', 'text/jsx', code('js')],
  ['tsx', 'text/tsx', code('js')],
  ['vue', 'text/x-vue', code('js')],
  ['java', 'text/x-java text/x-java-source', code('java')],
  ['cpp cxx', 'text/x-c++ text/x-c++src', code('cpp')],
  ['c', 'text/x-c text/x-csrc', code('cpp')],
  ['h', 'text/x-chdr', code('cpp')],
  ['m', 'text/x-objective-c', code('cpp')],
  ['cs', 'text/x-csharp', code('java')],
  ['kt', 'text/x-kotlin', code('java')],
  ['php', 'application/x-php text/x-php application/x-httpd-php', code('php')],
  ['rb', 'text/x-ruby application/x-ruby', code('ruby')],
  ['go', 'text/x-go', code('go')],
  ['rs', 'text/x-rust', code('rust')],
  ['swift', 'text/x-swift', code('swift')],
  ['scala', 'text/x-scala', code('scala')],
  ['r', 'text/x-r'],
  ['css', 'text/css'],
  ['scss', 'text/x-scss'],
  ['sass', 'text/x-sass'],
  ['less', 'text/x-less'],
  ['xml', 'application/xml text/xml'],
  ['yaml yml', 'application/yaml text/yaml application/x-yaml text/x-yaml'],
  ['toml', 'application/toml text/x-toml'],
  ['ini cfg conf', 'text/x-ini'],
  ['sh bash', 'application/x-sh text/x-sh text/x-shellscript'],
  ['ps1', 'text/x-powershell application/x-powershell'],
  ['bat cmd', 'application/x-bat text/x-bat'],
  ['dockerfile', 'text/x-dockerfile'],
  ['sql', 'application/sql text/x-sql'],
]

const PLAIN = { format: 'text' } as const

const byName: ReadonlyMap<string, FileType> = new Map(
  ENTRIES.flatMap(([, names, how = PLAIN]) => names.split(' ').map((name) => [name, { name, ...how }] as const)),
)

const byExtension: ReadonlyMap<string, FileType> = new Map(
  ENTRIES.flatMap(([extensions, names]) => {
    const [usual] = names.split(' ')
    return extensions.split(' ').map((extension) => [extension, byName.get(usual!)!] as const)
  }),
)

/** Every extension of a file that can be read. */
export const EXTENSIONS: readonly string[] = [...byExtension.keys()]

/** A type by its media type; undefined for an unreadable type. */
export const typeNamed = (mediaType: string): FileType | undefined => byName.get(mediaType)

/** `Dockerfile` is an extension by itself. */
const extensionOf = (fileName: string) => fileName.slice(fileName.lastIndexOf('.') + 1).toLowerCase()

/**
 * The type of an uploaded file: by its media type, or else by the extension of its name. An extension wins over the media type
 * of plain text. Undefined for an unreadable type.
 */
export function typeOf(mediaType: string, fileName: string): FileType | undefined {
  const name = mediaType.split(';')[0]!.trim().toLowerCase()
  const known = name === 'text/plain' ? undefined : byName.get(name)
  return known ?? byExtension.get(extensionOf(fileName)) ?? byName.get(name)
}
