import { sql } from 'kysely'
import type { Actor } from '../../db/context.ts'
import type { Database } from '../../db/engine/database.ts'
import type { Scope } from '../../db/scope.ts'
import { ApiError } from '../../lib/errors.ts'
import { createApiKey } from './api-keys.ts'

/** How long a key of the console is valid, in milliseconds. */
const VALID_MS = 12 * 3_600_000

interface Admin {
  organization_id: string
  user_id: string
  scopes: string[]
}

/**
 * Makes a key for the console, valid for twelve hours, with the user and the scopes of the oldest valid admin key of the
 * organization that operates the server. 403 when that organization has no such key.
 */
export async function createConsoleKey(database: Database, scopeOf: (actor: Actor) => Scope): Promise<string> {
  const find = sql<Admin>`
    select k.organization_id, k.user_id, k.scopes from api_keys k join organizations o on o.id = k.organization_id
    where o.is_operator and k.revoked_at is null and (k.expires_at is null or k.expires_at > now())
      and k.scopes @> ${sql.lit(JSON.stringify(['admin']))}::jsonb
    order by k.id limit 1`
  const [admin] = await database.read<Admin>(find.compile(database.kysely))
  if (!admin) throw new ApiError('forbidden', 'No admin key is valid. Make one with `npm run cairn -- keys create`.')
  const { organization_id: organizationId, user_id: userId, scopes } = admin
  const scope = scopeOf({ organizationId, userId, keyId: null, scopes, requestId: null, operator: true })
  const expires_at = new Date(Date.now() + VALID_MS).toISOString()
  const { key } = await createApiKey(scope, { name: 'console on this machine', scopes, expires_at })
  return key
}
