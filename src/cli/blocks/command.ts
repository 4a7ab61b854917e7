import { Command } from 'commander'
import type { Act } from '../action.ts'
import { diffBlock } from './diff.ts'
import { editBlock } from './edit.ts'
import { getBlock } from './get.ts'
import { blockHistory } from './history.ts'
import { listBlocks } from './list.ts'
import { setBlock } from './set.ts'
import { undoBlock } from './undo.ts'

/** `cairn blocks` */
export function blocksCommand(act: Act): Command {
  const blocks = new Command('blocks').description('read and change memory blocks')
  const commands = [listBlocks, getBlock, setBlock, editBlock, blockHistory, diffBlock, undoBlock]
  for (const create of commands) blocks.addCommand(create(act))
  return blocks
}
