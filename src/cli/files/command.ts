import { Command } from 'commander'
import type { Act } from '../action.ts'
import { listFiles } from './list.ts'
import { uploadFiles } from './upload.ts'

/** `cairn files` */
export function filesCommand(act: Act): Command {
  const files = new Command('files').description('upload files to folders')
  for (const create of [listFiles, uploadFiles]) files.addCommand(create(act))
  return files
}
