import { Command } from 'commander'
import type { Archive } from '../../resources/archives/schema.ts'
import type { Act } from '../action.ts'
import type { Cli } from '../cli.ts'
import { type ListOptions, mostRows, withPages } from '../list-options.ts'
import { showRows } from '../table.ts'

async function list(cli: Cli, pages: ListOptions): Promise<void> {
  await showRows(cli, cli.client().list<Archive>('/v1/archives/', {}, mostRows(pages)), {
    NAME: ({ name }) => name,
    EMBEDDING: ({ embedding_config: config }) => config?.handle ?? config?.embedding_model,
    ID: ({ id }) => id,
  })
}

/** `cairn archives list` */
export const listArchives = (act: Act) =>
  withPages(new Command('list').description('list archives, newest first')).action(act(list))
