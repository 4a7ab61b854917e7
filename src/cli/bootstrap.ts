import { sql } from 'kysely'
import type { Database } from '../db/engine/database.ts'
import { MIGRATION_LOCK } from '../db/engine/migrate.ts'
import { createScope } from '../db/scope.ts'
import type { Cipher } from '../lib/cipher.ts'
import { instantOf, newId } from '../lib/ids.ts'
import { FULL } from '../lib/permissions.ts'
import { createApiKey, newKey } from '../resources/api-keys/api-keys.ts'
import { addBuiltinTools } from '../resources/tools/builtin.ts'

const actorOf = (organizationId: string, userId: string | null) => ({
  organizationId,
  userId,
  keyId: null,
  scopes: FULL,
  requestId: null,
  operator: true,
})

/**
 * On an empty database, creates the organization that operates the server, its user and its first admin key, and returns
 * the key. On any other, adds the built-in tools of this version to the organizations that lack them. Safe when several
 * servers start at once.
 */
export async function bootstrap(
  shared: { database: Database; cipher: Cipher },
  givenKey: string | undefined,
): Promise<string | undefined> {
  return shared.database.transaction(async (trx) => {
    await sql`select pg_advisory_xact_lock(${MIGRATION_LOCK}::bigint)`.execute(trx)
    const { rows } = await sql<{ id: string }>`select id from organizations`.execute(trx)
    if (rows.length > 0) {
      for (const { id } of rows)
        await addBuiltinTools(createScope(shared, actorOf(id, null), { trx, queues: new Set() }))
      return undefined
    }
    const organizationId = newId('org')
    const userId = newId('user')
    const now = instantOf(userId)!.toISOString()
    await sql`insert into organizations (id, name, is_operator, created_at)
      values (${organizationId}, 'default', true, ${now})`.execute(trx)
    await sql`insert into users (id, organization_id, name, created_at, updated_at)
      values (${userId}, ${organizationId}, 'admin', ${now}, ${now})`.execute(trx)
    const scope = createScope(shared, actorOf(organizationId, userId), { trx, queues: new Set() })
    await addBuiltinTools(scope)
    const { key } = await createApiKey(scope, { name: 'first key', scopes: [...FULL] }, givenKey ?? newKey())
    return key
  })
}
