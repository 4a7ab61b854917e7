import { Command } from 'commander'
import type { Block } from '../../resources/blocks/schema.ts'
import type { Act } from '../action.ts'
import type { Cli } from '../cli.ts'
import { CommandError } from '../exit.ts'
import { readChange } from './changes.ts'
import { BLOCK_ARGUMENT } from './find-block.ts'

async function undo(cli: Cli, reference: string): Promise<void> {
  const client = cli.client()
  const { route, change, former } = await readChange(client, reference, undefined)
  if (!former) throw new CommandError('The block has not been changed since it was made.')
  const headers = { 'if-match': `"${change.version}"` }
  const block = await client.patch<Block>(`${route}/restore`, { version: former.version }, headers)
  cli.show(block, () => `Set ${block.label} (${block.id}) back to version ${former.version}.`)
}

/** `cairn blocks undo` */
export const undoBlock = (act: Act) =>
  new Command('undo')
    .description('take back the last change of a memory block, unless it has changed meanwhile')
    .argument(...BLOCK_ARGUMENT)
    .addHelpText('after', '\nThe history keeps both changes.\n\nExample:\n  cairn blocks undo Ada/human')
    .action(act(undo))
