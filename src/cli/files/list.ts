import { Command } from 'commander'
import type { FolderFile } from '../../resources/folders/file-schema.ts'
import type { Act } from '../action.ts'
import type { Cli } from '../cli.ts'
import { path } from '../client.ts'
import { findId } from '../find.ts'
import { type ListOptions, mostRows, withPages } from '../list-options.ts'
import { showRows } from '../table.ts'

async function list(cli: Cli, folder: string, pages: ListOptions): Promise<void> {
  const client = cli.client()
  const route = path`/v1/folders/${await findId(client, 'folder', folder)}/files`
  await showRows(cli, client.list<FolderFile>(route, {}, mostRows(pages)), {
    NAME: ({ file_name }) => file_name,
    STATUS: ({ processing_status }) => processing_status,
    BYTES: ({ file_size }) => file_size,
    ID: ({ id }) => id,
    ERROR: ({ error_message }) => error_message,
  })
}

/** `cairn files list` */
export const listFiles = (act: Act) =>
  withPages(new Command('list').description('list the files of a folder, newest first'))
    .argument('<folder>', 'its name or id')
    .action(act(list))
