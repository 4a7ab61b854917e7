import { Command } from 'commander'
import type { Act } from '../action.ts'
import { editBlock } from './edit.ts'
import { getBlock } from './get.ts'
import { listBlocks } from './list.ts'
import { setBlock } from './set.ts'

/** `cairn blocks` */
export function blocksCommand(act: Act): Command {
  const blocks = new Command('blocks').description('read and change memory blocks')
  for (const create of [listBlocks, getBlock, setBlock, editBlock]) blocks.addCommand(create(act))
  return blocks
}
