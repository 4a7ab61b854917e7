import { Command } from 'commander'
import type { Act } from '../action.ts'
import type { Cli } from '../cli.ts'
import { BLOCK_ARGUMENT, findBlock } from './find-block.ts'

async function get(cli: Cli, reference: string): Promise<void> {
  const { value } = await findBlock(cli.client(), reference)
  cli.show(value, () => value.value)
}

/** `cairn blocks get` */
export const getBlock = (act: Act) =>
  new Command('get')
    .description('write the value of a memory block')
    .argument(...BLOCK_ARGUMENT)
    .addHelpText('after', '\nExamples:\n  cairn blocks get Ada/human\n  cairn blocks get Ada/human --json')
    .action(act(get))
