import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { Command } from 'commander'
import type { Act } from '../action.ts'
import type { Cli } from '../cli.ts'
import { importFile } from './import-file.ts'

interface Options {
  name?: string
  model?: string
  messages: boolean
}

async function importAgentFile(cli: Cli, file: string, { name, model, messages }: Options): Promise<void> {
  const text = readFileSync(resolve(cli.settings.directory, file), 'utf8')
  const imported = await importFile(cli.client(), text, { name, model, strip_messages: String(!messages) })
  for (const warning of imported.warnings ?? []) cli.note(`Warning: ${warning}`)
  cli.show(imported, () => imported.agent_ids.join('\n'))
}

/** `cairn agents import` */
export const importAgents = (act: Act) =>
  new Command('import')
    .description('create the agents of an agent file (.af), and write their ids')
    .argument('<file>')
    .option('--name <name>', 'the name of the agent (default: that in the file)')
    .option('--model <handle>', 'its model (default: that in the file)')
    .option('--no-messages', 'without the messages in the file')
    .addHelpText('after', '\nExample:\n  cairn agents import ada.af --name "Ada the second"')
    .action(act(importAgentFile))
