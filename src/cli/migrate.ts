import { Command } from 'commander'
import type { Act } from './action.ts'
import type { Cli } from './cli.ts'

async function migrate(cli: Cli): Promise<void> {
  const [{ readConfig }, { openStorage }] = await Promise.all([import('../config.ts'), import('./open.ts')])
  const { database } = await openStorage(readConfig())
  await database.close()
  cli.show({ migrated: true }, () => 'The schema is up to date.')
}

/** `cairn migrate`: brings the schema of the database of the settings up to date, as a start of the server does. */
export const migrateCommand = (act: Act) =>
  new Command('migrate')
    .description("bring the schema of the server's database up to date, as a start does")
    .action(act(migrate))
