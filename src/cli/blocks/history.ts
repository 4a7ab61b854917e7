import { Command } from 'commander'
import type { BlockVersion } from '../../resources/blocks/history/schema.ts'
import type { Act } from '../action.ts'
import type { Cli } from '../cli.ts'
import { folded, showRows } from '../table.ts'
import { readChanges } from './changes.ts'
import { BLOCK_ARGUMENT } from './find-block.ts'

async function history(cli: Cli, reference: string): Promise<void> {
  const { changes } = await readChanges(cli.client(), reference)
  await showRows<BlockVersion>(cli, changes, {
    VERSION: ({ version }) => version,
    TIME: ({ created_at }) => created_at,
    CHANGE: ({ operation }) => operation,
    BY: ({ agent_id, user_id }) => agent_id ?? user_id,
    RUN: ({ run_id }) => run_id,
    VALUE: ({ block }) => folded(block.value, 60),
  })
}

/** `cairn blocks history` */
export const blockHistory = (act: Act) =>
  new Command('history')
    .description('list the last changes of a memory block, and who made them')
    .argument(...BLOCK_ARGUMENT)
    .addHelpText('after', '\nExample:\n  cairn blocks history Ada/human')
    .action(act(history))
