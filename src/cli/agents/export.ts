import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { Command } from 'commander'
import type { Act } from '../action.ts'
import type { Cli } from '../cli.ts'
import { agentRoute } from '../find.ts'

interface Options {
  output?: string
  messages: boolean
}

async function exportFile(cli: Cli, reference: string, { output, messages }: Options): Promise<void> {
  const client = cli.client()
  const file = await client.get<object>(`${await agentRoute(client, reference)}/export`, { scrub_messages: !messages })
  const text = JSON.stringify(file, null, 2)
  if (output === undefined) return cli.print(text)
  writeFileSync(resolve(cli.settings.directory, output), `${text}\n`)
  cli.note(`Wrote ${output}.`)
}

/** `cairn agents export` */
export const exportAgent = (act: Act) =>
  new Command('export')
    .description('write an agent as an agent file (.af), without the values of its secrets')
    .argument('<agent>', 'its name or id')
    .option('-o, --output <file>', 'the file (default: the standard output)')
    .option('--no-messages', 'without its messages')
    .addHelpText('after', '\nExample:\n  cairn agents export Ada -o ada.af')
    .action(act(exportFile))
