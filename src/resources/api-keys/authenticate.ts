import { hash } from 'node:crypto'
import { sql } from 'kysely'
import type { Actor } from '../../db/context.ts'
import type { Database } from '../../db/engine/database.ts'
import type { Verb } from '../../lib/permissions.ts'
import type { Access } from './schema.ts'

/** The time for which a valid key is cached, in milliseconds: the delay of a revocation by another server. */
const CACHED_MS = 1_000
const MAX_CACHED = 10_000

/** The kinds of operations that a right of a client-side access token reaches. */
export const VERB_OF: Readonly<Record<Access, Verb>> = {
  read_agent: 'read',
  read_messages: 'read',
  write_agent: 'write',
  write_messages: 'run',
}

/** The caller of a request. `client` holds the origin and the grants of a client-side access token. */
interface Caller extends Omit<Actor, 'requestId' | 'ifMatch'> {
  client?: { origin: string; agents: ReadonlyMap<string, readonly Access[]> }
}

/** The hash that is stored for a key. Keys are long and random, so a plain hash doesn't reveal them. */
export const hashKey = (key: string) => hash('sha256', key)

export interface Authenticator {
  /** The caller of a key or a client-side access token; undefined for an unknown, expired or revoked one. */
  authenticate(key: string): Promise<Caller | undefined>
  /** Clears the cache: call this after the deletion of a key, a token, a user or an organization. */
  forget(): void
}

/** A caller, and the expiry of the key. */
interface Authenticated {
  caller: Caller
  expires_at: string | null
}

interface FoundKey {
  id: string
  organization_id: string
  user_id: string
  scopes: string[]
  operator: boolean
  expires_at: string | null
  stale: boolean
}

/** Records the use of a key. No request waits for this: on an embedded database, writes wait for those of others. */
function recordUse(database: Database, { organization_id, id }: FoundKey): void {
  const record = sql`update api_keys set last_used_at = now() where organization_id = ${organization_id} and id = ${id}`
  // The next request records what this one can't.
  database.change(record.compile(database.kysely)).catch(() => {})
}

/** The caller of an API key. The time of its last use is recorded to the minute. */
async function findKey(database: Database, hash: string): Promise<Authenticated | undefined> {
  const find = sql<FoundKey>`
    select k.id, k.organization_id, k.user_id, k.scopes, o.is_operator as operator, k.expires_at,
      coalesce(k.last_used_at < now() - interval '1 minute', true) as stale
    from api_keys k join organizations o on o.id = k.organization_id
    where k.key_hash = ${hash} and k.revoked_at is null and (k.expires_at is null or k.expires_at > now())
  `
  const [found] = await database.read<FoundKey>(find.compile(database.kysely))
  if (!found) return undefined
  if (found.stale) recordUse(database, found)
  const { id, organization_id, user_id, scopes, operator, expires_at } = found
  return { caller: { organizationId: organization_id, userId: user_id, keyId: id, scopes, operator }, expires_at }
}

interface FoundToken {
  id: string
  organization_id: string
  user_id: string
  origin: string
  expires_at: string
  grants: Record<string, Access[]>
}

/**
 * The caller of a client-side access token: the user of the key that made it, with none of that key's wider rights, and only
 * while that key is valid.
 */
async function findToken(database: Database, hash: string): Promise<Authenticated | undefined> {
  const find = sql<FoundToken>`
    select t.id, t.organization_id, k.user_id, t.origin, least(t.expires_at, k.expires_at) as expires_at,
      (select coalesce(jsonb_object_agg(g.agent_id, g.access), '{}') from access_tokens_agents g
        where g.organization_id = t.organization_id and g.access_token_id = t.id) as grants
    from access_tokens t join api_keys k on k.organization_id = t.organization_id and k.id = t.api_key_id
    where t.token_hash = ${hash} and t.expires_at > now()
      and k.revoked_at is null and (k.expires_at is null or k.expires_at > now())
  `
  const [found] = await database.read<FoundToken>(find.compile(database.kysely))
  if (!found) return undefined
  const { id, organization_id, user_id, origin, expires_at, grants } = found
  const client = { origin, agents: new Map(Object.entries(grants)) }
  const actor = { organizationId: organization_id, userId: user_id, keyId: id, operator: false }
  const scopes = Object.entries(grants).flatMap(([id, access]) => access.map((one) => `agents:${id}:${VERB_OF[one]}`))
  return { caller: { ...actor, scopes, client }, expires_at }
}

/** Looks up keys and tokens, and caches valid ones for a second. */
export function createAuthenticator(database: Database): Authenticator {
  const cached = new Map<string, { caller: Caller; until: number }>()
  return {
    forget: () => cached.clear(),
    async authenticate(key) {
      const hash = hashKey(key)
      const known = cached.get(hash)
      if (known && known.until > Date.now()) return known.caller
      cached.delete(hash)
      const found = (await findKey(database, hash)) ?? (await findToken(database, hash))
      if (!found) return undefined
      const expiry = found.expires_at === null ? Number.POSITIVE_INFINITY : Date.parse(found.expires_at)
      if (cached.size >= MAX_CACHED) cached.clear()
      cached.set(hash, { caller: found.caller, until: Math.min(Date.now() + CACHED_MS, expiry) })
      return found.caller
    },
  }
}
