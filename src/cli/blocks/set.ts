import { Command } from 'commander'
import type { Block } from '../../resources/blocks/schema.ts'
import type { Act } from '../action.ts'
import type { Cli } from '../cli.ts'
import { readInput } from '../prompt.ts'
import { BLOCK_ARGUMENT, findBlock } from './find-block.ts'

async function set(cli: Cli, reference: string, given: string | undefined): Promise<void> {
  const client = cli.client()
  const { route } = await findBlock(client, reference)
  const block = await client.patch<Block>(route, { value: given ?? (await readInput(cli)) })
  cli.show(block, () => `Set ${block.label} (${block.id}).`)
}

/** `cairn blocks set` */
export const setBlock = (act: Act) =>
  new Command('set')
    .description('replace the value of a memory block, whatever it is now')
    .argument(...BLOCK_ARGUMENT)
    .argument('[value]', 'the value (default: the standard input)')
    .addHelpText(
      'after',
      '\nExamples:\n  cairn blocks set Ada/human "Likes tea."\n  cairn blocks set Ada/notes < notes.md',
    )
    .action(act(set))
