import { Command } from 'commander'
import type { Act } from '../action.ts'
import type { Cli } from '../cli.ts'
import { lineDiff } from '../diff-text.ts'
import { readChange } from './changes.ts'
import { BLOCK_ARGUMENT } from './find-block.ts'
import { readVersion, VERSION_ARGUMENT } from './version.ts'

async function diff(cli: Cli, reference: string, version: string | undefined): Promise<void> {
  const { change, former } = await readChange(cli.client(), reference, readVersion(version))
  const [before, after] = [former?.block.value ?? '', change.block.value]
  cli.show({ version: change.version, before, after }, () => lineDiff(cli, before, after))
}

/** `cairn blocks diff` */
export const diffBlock = (act: Act) =>
  new Command('diff')
    .description('show what a change made of the value of a memory block')
    .argument(...BLOCK_ARGUMENT)
    .argument(...VERSION_ARGUMENT)
    .addHelpText('after', '\nExamples:\n  cairn blocks diff Ada/human\n  cairn blocks diff Ada/human 3')
    .action(act(diff))
