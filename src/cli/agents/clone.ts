import { Command } from 'commander'
import type { Act } from '../action.ts'
import type { Cli } from '../cli.ts'
import { agentRoute } from '../find.ts'
import { importFile } from './import-file.ts'

interface Options {
  name?: string
  messages?: boolean
}

async function clone(cli: Cli, reference: string, { name, messages }: Options): Promise<void> {
  const client = cli.client()
  const route = await agentRoute(client, reference)
  const file = await client.get<{ agents: { name: string }[] }>(`${route}/export`, { scrub_messages: !messages })
  const copyName = name ?? `${file.agents[0]!.name} (copy)`
  const imported = await importFile(client, JSON.stringify(file), { name: copyName })
  for (const warning of imported.warnings ?? []) cli.note(`Warning: ${warning}`)
  cli.show(imported, () => imported.agent_ids.join('\n'))
}

/** `cairn agents clone` */
export const cloneAgent = (act: Act) =>
  new Command('clone')
    .description('create a copy of an agent with copies of its blocks, and write its id')
    .argument('<agent>', 'its name or id')
    .option('--name <name>', 'the name of the copy (default: that of the agent, with "(copy)")')
    .option('--messages', 'with copies of its messages')
    .addHelpText('after', '\nExample:\n  cairn agents clone Ada --name "Ada for tests"')
    .action(act(clone))
