import { Command, InvalidArgumentError } from 'commander'
import { FULL, SCOPE_PATTERN } from '../../lib/permissions.ts'
import type { ApiKey } from '../../resources/api-keys/schema.ts'
import type { Act } from '../action.ts'
import type { Cli } from '../cli.ts'
import { confirm } from '../prompt.ts'
import { showRows } from '../table.ts'
import { type KeyStore, keysOfServer } from './store.ts'

interface Options {
  database?: boolean
}

interface CreateOptions extends Options {
  name: string
  scopes: string[]
  user?: string
  expires?: string
}

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

/** Runs `work` with the keys of the server, or with `--database` those of the database. */
async function withKeys(cli: Cli, { database }: Options, work: (keys: KeyStore) => Promise<void>): Promise<void> {
  if (!database) return work(keysOfServer(cli.client()))
  const { withDatabaseKeys } = await import('./database.ts')
  return withDatabaseKeys(work, cli.note)
}

const state = (key: ApiKey) =>
  key.revoked_at ? 'revoked' : key.expires_at && Date.parse(key.expires_at) < Date.now() ? 'expired' : 'valid'

const list = (cli: Cli, options: Options) =>
  withKeys(cli, options, (keys) =>
    showRows(cli, keys.list(), {
      NAME: ({ name }) => name,
      SCOPES: ({ scopes }) => scopes.join(','),
      STATE: state,
      'LAST USED': ({ last_used_at }) => last_used_at ?? 'never',
      ...(options.database && { ORGANIZATION: ({ organization_id }: { organization_id?: string }) => organization_id }),
      ID: ({ id }) => id,
    }),
  )

const create = (cli: Cli, { name, scopes, user, expires, ...options }: CreateOptions) =>
  withKeys(cli, options, async (keys) => {
    const created = await keys.create({ name, scopes, user_id: user, expires_at: expires })
    cli.show(created, () => created.key)
  })

const revoke = (cli: Cli, id: string, { yes, ...options }: Options & { yes?: boolean }) =>
  withKeys(cli, options, async (keys) => {
    await confirm(cli, `Revoke ${id} for good?`, yes ?? !cli.terminal.stdin.isTTY)
    await keys.revoke(id)
    cli.show({ id, revoked: true }, () => `Revoked ${id}.`)
  })

/** `cairn keys`: manages the keys of the organization, or with access to the database those of every organization. */
export function keysCommand(act: Act): Command {
  const keys = new Command('keys').description('list, create and revoke API keys')
  keys.command('list').description('list keys, without the keys themselves').action(act(list))
  keys
    .command('create')
    .description('create a key and write it, this once')
    .requiredOption('--name <name>', 'what the key is for')
    .option('--scopes <scopes>', `some of ${FULL.join(',')}, or such as blocks:read`, parseScopes, ['read', 'write'])
    .option('--user <id>', 'whose key it is (default: yours; with --database, the first user)')
    .option('--expires <date>', 'when it ends (ISO 8601)', parseInstant)
    .addHelpText('after', '\nExample:\n  cairn keys create --name dashboard --scopes read')
    .action(act(create))
  keys.command('revoke <id>').description('revoke a key for good').option('-y, --yes', "don't ask").action(act(revoke))
  for (const command of keys.commands) {
    command.option(
      '--database',
      'open the database of the settings: no key is needed, and keys of every organization count',
    )
  }
  return keys
}
