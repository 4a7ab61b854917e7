import { randomUUID } from 'node:crypto'
import { v7 } from 'uuid'

/** What each id prefix names, in the words of error messages. */
export const NOUNS = {
  access_token: 'client-side access token',
  agent: 'agent',
  'agent-env': 'secret',
  api_key: 'API key',
  archive: 'archive',
  block: 'block',
  deployment: 'deployment',
  entity: 'entity of a template',
  file: 'file',
  file_agent: 'open file',
  group: 'group',
  identity: 'identity',
  message: 'message',
  org: 'organization',
  passage: 'passage',
  project: 'project',
  provider: 'provider',
  source: 'folder',
  template: 'template',
  template_version: 'version of a template',
  tool: 'tool',
  user: 'user',
} as const

export type Prefix = keyof typeof NOUNS

const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}'

/** The pattern of an id `<prefix>-<uuid>`: lower case, any UUID version. */
export const idPattern = (prefix: Prefix) => `^${prefix}-${UUID}$`

/** A new id: a UUIDv7 (RFC 9562), so that ids made by one process sort in the order they were made. */
export const newId = (prefix: Prefix) => `${prefix}-${v7()}`

const hex = (value: number, digits: number) => value.toString(16).padStart(digits, '0')

/**
 * A new UUIDv7 id that holds a past instant; ids of the same instant sort by `place`, a whole number below 2^32. The last
 * 40 bits are random: `randomUUID` draws them for many ids at once, which makes an import of 10,000 rows several times
 * faster than one draw for each id.
 */
export function idAt(prefix: Prefix, instant: Date, place: number): string {
  const time = hex(instant.getTime(), 12)
  const [high, middle, low] = [hex(place >>> 20, 3), hex((place >>> 8) & 0xfff, 3), hex(place & 0xff, 2)]
  return `${prefix}-${time.slice(0, 8)}-${time.slice(8)}-7${high}-8${middle}-${low}${randomUUID().slice(-10)}`
}

/** The last millisecond that is written with a four-digit year. */
const LAST = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

/**
 * The instant inside a UUIDv7 id, in milliseconds, or undefined for an id of another version, which holds none, and for
 * one that holds an instant beyond the year 9999, which no clock has made.
 */
export function instantOf(id: string): Date | undefined {
  const uuid = id.slice(-36)
  if (uuid[14] !== '7') return undefined
  const instant = Number.parseInt(uuid.slice(0, 8) + uuid.slice(9, 13), 16)
  return instant > LAST ? undefined : new Date(instant)
}

/** "agent", "folder" …: what an id names, in the words of error messages. */
export function nounOf(id: string): string {
  return NOUNS[id.slice(0, -37) as Prefix] ?? 'resource'
}
