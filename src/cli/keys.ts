import { Command, InvalidArgumentError } from 'commander'
import { sql } from 'kysely'
import { readConfig } from '../config.ts'
import { createScope, type Scope } from '../db/scope.ts'
import { FULL, SCOPE_PATTERN } from '../lib/permissions.ts'
import { createApiKey, revokeApiKey } from '../resources/api-keys/api-keys.ts'
import type { ApiKey } from '../resources/api-keys/schema.ts'
import { listUsers } from '../resources/organizations/users.ts'
import { bootstrap } from './bootstrap.ts'
import { openStorage } from './open.ts'

function parseScopes(text: string): string[] {
  const scopes = text.split(',').map((scope) => scope.trim())
  const unknown = scopes.find((scope) => !new RegExp(SCOPE_PATTERN).test(scope))
  if (unknown !== undefined) {
    throw new InvalidArgumentError(
      `"${unknown}" is none of ${FULL.join(', ')}, and no <area>:<verb> such as blocks:read.`,
    )
  }
  return scopes
}

function parseInstant(text: string): string {
  const instant = new Date(text)
  if (Number.isNaN(instant.getTime())) throw new InvalidArgumentError('Give an ISO 8601 date.')
  return instant.toISOString()
}

/** Opens the database of the settings, runs `work` as its operator, and closes the database. */
async function asOperator(work: (scope: Scope) => Promise<void>): Promise<void> {
  const config = readConfig()
  const { database, cipher } = await openStorage(config)
  try {
    const firstKey = await bootstrap({ database, cipher }, config.apiKey)
    if (firstKey) console.log(`The database was new. Its first admin key, shown this once: ${firstKey}`)
    const { rows } = await sql<{ id: string }>`select id from organizations where is_operator`.execute(database.kysely)
    const actor = { userId: null, keyId: null, scopes: FULL, requestId: null, operator: true }
    await work(createScope({ database, cipher }, { ...actor, organizationId: rows[0]!.id }))
  } finally {
    await database.close()
  }
}

const state = (key: ApiKey) =>
  key.revoked_at ? 'revoked' : key.expires_at && Date.parse(key.expires_at) < Date.now() ? 'expired' : 'valid'

async function printKeys(scope: Scope): Promise<void> {
  const keys = await scope.query<ApiKey & { organization_id: string }>(sql`
    select id, organization_id, user_id, name, scopes, created_at, expires_at, revoked_at, last_used_at
    from api_keys order by id`)
  console.table(
    keys.map((key) => ({
      id: key.id,
      name: key.name,
      organization: key.organization_id,
      scopes: key.scopes.join(','),
      state: state(key),
      'last used': key.last_used_at ?? 'never',
    })),
  )
}

/** `cairn keys`: manages the keys of every organization, with access to the database instead of a key. */
export function keysCommand(): Command {
  const keys = new Command('keys').description('list, create and revoke API keys')
  keys
    .command('list')
    .description('list every key, without the keys themselves')
    .action(() => asOperator(printKeys))
  keys
    .command('create')
    .description('create a key and print it, this once')
    .requiredOption('--name <name>', 'what the key is for')
    .option('--scopes <scopes>', `some of ${FULL.join(',')}, or such as blocks:read`, parseScopes, ['read', 'write'])
    .option('--user <id>', 'whose key it is (default: the first user)')
    .option('--expires <date>', 'when it ends (ISO 8601)', parseInstant)
    .action((options: { name: string; scopes: string[]; user?: string; expires?: string }) =>
      asOperator(async (scope) => {
        const user = options.user ?? (await listUsers(scope, { limit: 1 }))[0]?.id
        const created = await createApiKey(scope, {
          name: options.name,
          scopes: options.scopes,
          user_id: user,
          expires_at: options.expires,
        })
        console.log(created.key)
      }),
    )
  keys
    .command('revoke <id>')
    .description('revoke a key for good')
    .action((id: string) =>
      asOperator(async (scope) => {
        const [owner] = await scope.query<{ organization_id: string }>(
          sql`select organization_id from api_keys where id = ${id}`,
        )
        if (!owner) throw new Error(`No key with id ${id}.`)
        await revokeApiKey(scope.asOrganization(owner.organization_id), id)
        console.log(`Revoked ${id}.`)
      }),
    )
  return keys
}
