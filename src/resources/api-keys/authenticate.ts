import { hash } from 'node:crypto'
import { sql } from 'kysely'
import type { Actor } from '../../db/context.ts'
import type { Database } from '../../db/database.ts'

/** How long a key that was found good is taken as good without asking again. Another server's revocation waits this long. */
const TRUSTED_MS = 1_000
const MAX_TRUSTED = 10_000

type Caller = Omit<Actor, 'requestId' | 'ifMatch'>

/** What is stored of a key. Keys are long and random, so a plain hash can't be searched for them. */
export const hashKey = (key: string) => hash('sha256', key)

export interface Authenticator {
  /** Who a key is; undefined for an unknown, expired or revoked one. */
  authenticate(key: string): Promise<Caller | undefined>
  /** Asks again for every key: call it after a key, a user or an organization went. */
  forget(): void
}

interface Found {
  id: string
  organization_id: string
  user_id: string
  scopes: string[]
  operator: boolean
  expires_at: string | null
  stale: boolean
}

/** Looks keys up, remembering the good ones for a second, and notes their last use to the minute. */
export function createAuthenticator(database: Database): Authenticator {
  const trusted = new Map<string, { caller: Caller; until: number }>()
  return {
    forget: () => trusted.clear(),
    async authenticate(key) {
      const hash = hashKey(key)
      const known = trusted.get(hash)
      if (known && known.until > Date.now()) return known.caller
      trusted.delete(hash)
      const { rows } = await sql<Found>`
        select k.id, k.organization_id, k.user_id, k.scopes, o.is_operator as operator, k.expires_at,
          coalesce(k.last_used_at < now() - interval '1 minute', true) as stale
        from api_keys k join organizations o on o.id = k.organization_id
        where k.key_hash = ${hash} and k.revoked_at is null and (k.expires_at is null or k.expires_at > now())
      `.execute(database.kysely)
      const [found] = rows
      if (!found) return undefined
      if (found.stale) {
        await sql`update api_keys set last_used_at = now()
          where organization_id = ${found.organization_id} and id = ${found.id}`.execute(database.kysely)
      }
      const caller = {
        organizationId: found.organization_id,
        userId: found.user_id,
        keyId: found.id,
        scopes: found.scopes,
        operator: found.operator,
      }
      const expiry = found.expires_at === null ? Number.POSITIVE_INFINITY : Date.parse(found.expires_at)
      if (trusted.size >= MAX_TRUSTED) trusted.clear()
      trusted.set(hash, { caller, until: Math.min(Date.now() + TRUSTED_MS, expiry) })
      return caller
    },
  }
}
