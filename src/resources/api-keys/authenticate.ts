import { hash } from 'node:crypto'
import { sql } from 'kysely'
import type { Actor } from '../../db/context.ts'
import type { Database } from '../../db/engine/database.ts'
import type { Access } from './schema.ts'

/** How long a key that was found good is taken as good without asking again. Another server's revocation waits this long. */
const TRUSTED_MS = 1_000
const MAX_TRUSTED = 10_000

/** Who is calling. With a client-side access token: from which origin, and what it may do with which agents. */
interface Caller extends Omit<Actor, 'requestId' | 'ifMatch'> {
  client?: { origin: string; agents: ReadonlyMap<string, readonly Access[]> }
}

/** What is stored of a key. Keys are long and random, so a plain hash can't be searched for them. */
export const hashKey = (key: string) => hash('sha256', key)

export interface Authenticator {
  /** Who a key or a client-side access token is; undefined for an unknown, expired or revoked one. */
  authenticate(key: string): Promise<Caller | undefined>
  /** Asks again for every key: call it after a key, a token, a user or an organization went. */
  forget(): void
}

/** A caller, and until when. */
interface Good {
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

/** Who an API key is. Its last use is noted to the minute. */
async function findKey({ kysely }: Database, hash: string): Promise<Good | undefined> {
  const { rows } = await sql<FoundKey>`
    select k.id, k.organization_id, k.user_id, k.scopes, o.is_operator as operator, k.expires_at,
      coalesce(k.last_used_at < now() - interval '1 minute', true) as stale
    from api_keys k join organizations o on o.id = k.organization_id
    where k.key_hash = ${hash} and k.revoked_at is null and (k.expires_at is null or k.expires_at > now())
  `.execute(kysely)
  const [found] = rows
  if (!found) return undefined
  if (found.stale) {
    await sql`update api_keys set last_used_at = now()
      where organization_id = ${found.organization_id} and id = ${found.id}`.execute(kysely)
  }
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
 * Who a client-side access token is: the user of the key that made it, with none of that key's wider rights, and only
 * while that key is good itself.
 */
async function findToken({ kysely }: Database, hash: string): Promise<Good | undefined> {
  const { rows } = await sql<FoundToken>`
    select t.id, t.organization_id, k.user_id, t.origin, least(t.expires_at, k.expires_at) as expires_at,
      (select coalesce(jsonb_object_agg(g.agent_id, g.access), '{}') from access_tokens_agents g
        where g.organization_id = t.organization_id and g.access_token_id = t.id) as grants
    from access_tokens t join api_keys k on k.organization_id = t.organization_id and k.id = t.api_key_id
    where t.token_hash = ${hash} and t.expires_at > now()
      and k.revoked_at is null and (k.expires_at is null or k.expires_at > now())
  `.execute(kysely)
  const [found] = rows
  if (!found) return undefined
  const { id, organization_id, user_id, origin, expires_at, grants } = found
  const client = { origin, agents: new Map(Object.entries(grants)) }
  const actor = { organizationId: organization_id, userId: user_id, keyId: id, operator: false }
  return { caller: { ...actor, scopes: ['read', 'write'], client }, expires_at }
}

/** Looks keys and tokens up, remembering the good ones for a second. */
export function createAuthenticator(database: Database): Authenticator {
  const trusted = new Map<string, { caller: Caller; until: number }>()
  return {
    forget: () => trusted.clear(),
    async authenticate(key) {
      const hash = hashKey(key)
      const known = trusted.get(hash)
      if (known && known.until > Date.now()) return known.caller
      trusted.delete(hash)
      const good = (await findKey(database, hash)) ?? (await findToken(database, hash))
      if (!good) return undefined
      const expiry = good.expires_at === null ? Number.POSITIVE_INFINITY : Date.parse(good.expires_at)
      if (trusted.size >= MAX_TRUSTED) trusted.clear()
      trusted.set(hash, { caller: good.caller, until: Math.min(Date.now() + TRUSTED_MS, expiry) })
      return good.caller
    },
  }
}
