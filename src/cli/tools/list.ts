import { Command } from 'commander'
import type { Tool } from '../../resources/tools/schema.ts'
import type { Act } from '../action.ts'
import type { Cli } from '../cli.ts'
import { type ListOptions, mostRows, withPages } from '../list-options.ts'
import { folded, showRows } from '../table.ts'

interface Options extends ListOptions {
  search?: string
  own?: boolean
}

async function list(cli: Cli, { search, own, ...pages }: Options): Promise<void> {
  const query = { search, tool_types: own ? 'custom' : undefined }
  await showRows(cli, cli.client().list<Tool>('/v1/tools/', query, mostRows(pages)), {
    NAME: ({ name }) => name,
    TYPE: ({ tool_type }) => tool_type,
    ID: ({ id }) => id,
    DESCRIPTION: ({ description }) => folded(description ?? '', 60),
  })
}

/** `cairn tools list` */
export const listTools = (act: Act) =>
  withPages(new Command('list').description('list tools, newest first'))
    .option('--search <text>', 'those with this in their name')
    .option('--own', 'without the built-in tools')
    .addHelpText('after', '\nExample:\n  cairn tools list --own')
    .action(act(list))
