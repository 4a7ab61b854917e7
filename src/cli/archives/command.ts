import { Command } from 'commander'
import type { Act } from '../action.ts'
import { addPassage } from './add.ts'
import { importPassages } from './import.ts'
import { listArchives } from './list.ts'
import { searchArchive } from './search.ts'

/** `cairn archives` */
export function archivesCommand(act: Act): Command {
  const archives = new Command('archives').description('search archives, and add passages to them')
  for (const create of [listArchives, searchArchive, addPassage, importPassages]) archives.addCommand(create(act))
  return archives
}
