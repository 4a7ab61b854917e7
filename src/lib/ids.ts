import { randomUUID } from 'node:crypto'
import { v7 } from 'uuid'

/** The first part of an id, which names a kind of resource: `agent`, `template_version`. */
export type Prefix = string

/** The nouns that error messages don't derive from the prefix. */
const IRREGULAR_NOUNS: Readonly<Record<Prefix, string>> = {
  access_token: 'client-side access token',
  'agent-env': 'secret',
  api_key: 'API key',
  conv: 'conversation',
  entity: 'entity of a template',
  file_agent: 'open file',
  job: 'batch',
  org: 'organization',
  sandbox: 'configuration of sandboxes',
  'sandbox-env': 'environment variable',
  source: 'folder',
  template_version: 'version of a template',
}

const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}'

/** The pattern of an id `<prefix>-<uuid>`: lower case, any UUID version. */
export const idPattern = (prefix: Prefix) => `^${prefix}-${UUID}$`

const hex = (value: number, digits: number) => value.toString(16).padStart(digits, '0')

/** The first part of a UUIDv7: its instant, in milliseconds. */
const instantPart = (milliseconds: number) => hex(milliseconds, 12).replace(/^.{8}/, '$&-')

const millisecondsOf = (uuid: string) => Number.parseInt(uuid.slice(0, 8) + uuid.slice(9, 13), 16)

/** How far the clock may be put back, in milliseconds, without an effect on the order of ids. */
const MAX_AHEAD_MS = 10_000

/**
 * A new id: a UUIDv7 (RFC 9562). Ids of one process sort in the order of their making, unless the clock is put back further
 * than 10 seconds: no id holds an instant further in the future.
 */
export function newId(prefix: Prefix): string {
  const uuid = v7()
  const now = Date.now()
  // The library goes on from the latest instant that the clock has shown. Its counter still orders ids of one millisecond.
  const ahead = millisecondsOf(uuid) > now + MAX_AHEAD_MS
  return `${prefix}-${ahead ? instantPart(now) + uuid.slice(13) : uuid}`
}

/**
 * A new UUIDv7 id that holds a past instant; ids of the same instant sort by `place`, a whole number below 2^32. The last
 * 40 bits are random: `randomUUID` draws them for many ids at once, which makes an import of 10,000 rows several times
 * faster than one draw for each id.
 */
export function idAt(prefix: Prefix, instant: Date, place: number): string {
  const [high, middle, low] = [hex(place >>> 20, 3), hex((place >>> 8) & 0xfff, 3), hex(place & 0xff, 2)]
  return `${prefix}-${instantPart(instant.getTime())}-7${high}-8${middle}-${low}${randomUUID().slice(-10)}`
}

/** The last millisecond that is written with a four-digit year. */
const LAST = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

/** The instant inside a UUIDv7 id, in milliseconds. Undefined for an id of another version, and beyond the year 9999. */
export function instantOf(id: string): Date | undefined {
  const uuid = id.slice(-36)
  if (uuid[14] !== '7') return undefined
  const instant = millisecondsOf(uuid)
  return instant > LAST ? undefined : new Date(instant)
}

/** The noun of error messages for the resource of an id: "agent", "folder". "resource" for any other text. */
export function nounOf(id: string): string {
  const [, prefix] = /^([a-z][a-z_-]*)-.{36}$/.exec(id) ?? []
  if (prefix === undefined) return 'resource'
  return Object.hasOwn(IRREGULAR_NOUNS, prefix) ? IRREGULAR_NOUNS[prefix]! : prefix.replaceAll('_', ' ')
}
