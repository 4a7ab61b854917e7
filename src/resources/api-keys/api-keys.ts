import { randomBytes } from 'node:crypto'
import type { Scope } from '../../db/scope.ts'
import { inBody, invalid, notFound } from '../../lib/errors.ts'
import { organizationOfUser } from '../organizations/users.ts'
import { hashKey } from './authenticate.ts'
import { apiKeys, type CreateApiKey, type NewApiKey } from './schema.ts'

/** A fresh key: 256 random bits. */
export const newKey = () => `cairn_${randomBytes(32).toString('base64url')}`

/**
 * Makes a key for a user, the caller when none is named. Admins of the operating organization can make keys for the
 * users of any; others only for their own. Only this response holds the key itself.
 */
export async function createApiKey(scope: Scope, body: CreateApiKey, key = newKey()): Promise<NewApiKey> {
  const userId = body.user_id ?? scope.userId
  if (!userId) throw invalid(inBody('user_id', 'is required'))
  if (body.expires_at && Date.parse(body.expires_at) <= Date.now()) {
    throw invalid(inBody('expires_at', 'must lie in the future'))
  }
  const owner = await organizationOfUser(scope, userId)
  if (!owner) throw notFound('user', userId)
  const made = await scope.asOrganization(owner).insert(apiKeys, {
    name: body.name,
    user_id: userId,
    scopes: body.scopes,
    expires_at: body.expires_at,
    key_hash: hashKey(key),
  })
  return { ...made, key }
}

/** Revokes a key for good. Its record stays. */
export async function revokeApiKey(scope: Scope, id: string) {
  const key = await scope.get(apiKeys, id)
  if (key.revoked_at) return key
  return scope.update(apiKeys, id, { revoked_at: new Date().toISOString() })
}
