import { sql } from 'kysely'
import { readConfig } from '../../config.ts'
import { createScope, type Scope } from '../../db/scope.ts'
import { FULL } from '../../lib/permissions.ts'
import { createApiKey, revokeApiKey } from '../../resources/api-keys/api-keys.ts'
import { listUsers } from '../../resources/organizations/users.ts'
import { bootstrap } from '../bootstrap.ts'
import { CommandError } from '../exit.ts'
import { openStorage } from '../open.ts'
import type { KeyStore, ListedKey } from './store.ts'

/** The keys of every organization. */
const keysOf = (scope: Scope, keys: readonly ListedKey[]): KeyStore => ({
  list: () => keys,
  async create(body) {
    const user = body.user_id ?? (await listUsers(scope, { limit: 1 }))[0]?.id
    return createApiKey(scope, { ...body, user_id: user })
  },
  async revoke(id) {
    const owner = keys.find((key) => key.id === id)?.organization_id
    if (!owner) throw new CommandError(`No key with id ${id}.`)
    await revokeApiKey(scope.asOrganization(owner), id)
  },
})

const listKeys = (scope: Scope) =>
  scope.query<ListedKey>(sql`
    select id, organization_id, user_id, name, scopes, created_at, expires_at, revoked_at, last_used_at
    from api_keys order by id`)

/**
 * Opens the database of the settings, runs `work` with the keys of every organization, and closes the database. `note` gets
 * the first key of a new database.
 */
export async function withDatabaseKeys(work: (keys: KeyStore) => Promise<void>, note: (text: string) => void) {
  const config = readConfig()
  const { database, cipher } = await openStorage(config)
  try {
    const firstKey = await bootstrap({ database, cipher }, config.apiKey)
    if (firstKey) note(`The database was new. Its first admin key, shown this once: ${firstKey}`)
    const { rows } = await sql<{ id: string }>`select id from organizations where is_operator`.execute(database.kysely)
    const actor = { userId: null, keyId: null, scopes: FULL, requestId: null, operator: true }
    const scope = createScope({ database, cipher }, { ...actor, organizationId: rows[0]!.id })
    await work(keysOf(scope, await listKeys(scope)))
  } finally {
    await database.close()
  }
}
