import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { Command } from 'commander'
import type { Tool } from '../../resources/tools/schema.ts'
import type { Act } from '../action.ts'
import type { Cli } from '../cli.ts'
import { path } from '../client.ts'
import { CommandError } from '../exit.ts'
import { findId } from '../find.ts'
import { extensionOf } from './source-file.ts'

interface Options {
  directory: string
  force?: boolean
}

async function pull(cli: Cli, references: string[], { directory, force }: Options): Promise<void> {
  const client = cli.client()
  const folder = resolve(cli.settings.directory, directory)
  for (const reference of references) {
    const tool = await client.get<Tool>(path`/v1/tools/${await findId(client, 'tool', reference)}`)
    if (!tool.source_code)
      throw new CommandError(`${tool.name} has no source: it is part of the server, or of another one.`)
    // Names of tools are those of functions; whatever else a server sends stays in the folder.
    const file = join(folder, `${String(tool.name).replaceAll(/[^\w-]/g, '_')}${extensionOf(tool.source_type)}`)
    const isOther = existsSync(file) && readFileSync(file, 'utf8') !== tool.source_code
    if (isOther && !force) throw new CommandError(`${file} has another source. Add --force to replace it.`)
    mkdirSync(folder, { recursive: true })
    writeFileSync(file, tool.source_code)
    cli.show({ name: tool.name, file }, () => `Wrote ${relative(cli.settings.directory, file)}`)
  }
}

/** `cairn tools pull` */
export const pullTools = (act: Act) =>
  new Command('pull')
    .description('write the source of tools to files')
    .argument('<tools...>', 'their names or ids')
    .option('-d, --directory <directory>', 'where the files go', '.')
    .option('--force', 'replace files that have another source')
    .addHelpText('after', '\nExample:\n  cairn tools pull roll_dice -d tools')
    .action(act(pull))
