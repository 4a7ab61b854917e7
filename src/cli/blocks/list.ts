import { Command } from 'commander'
import type { Block } from '../../resources/blocks/schema.ts'
import type { Act } from '../action.ts'
import type { Cli } from '../cli.ts'
import { agentRoute } from '../find.ts'
import { type ListOptions, mostRows, withPages } from '../list-options.ts'
import { folded, showRows } from '../table.ts'

interface Options extends ListOptions {
  agent?: string
  label?: string
}

async function list(cli: Cli, { agent, label, ...pages }: Options): Promise<void> {
  const client = cli.client()
  const route = agent === undefined ? '/v1/blocks/' : `${await agentRoute(client, agent)}/core-memory/blocks`
  const query = agent === undefined ? { label } : {}
  await showRows(cli, client.list<Block>(route, query, mostRows(pages)), {
    LABEL: ({ label }) => label,
    CHARACTERS: ({ value, limit }) => `${[...value].length}${limit ? ` of ${limit}` : ''}`,
    ID: ({ id }) => id,
    VALUE: ({ value }) => folded(value, 60),
  })
}

/** `cairn blocks list` */
export const listBlocks = (act: Act) =>
  withPages(new Command('list').description('list memory blocks'))
    .option('--agent <agent>', 'the blocks of this agent')
    .option('--label <label>', 'those with this label')
    .addHelpText('after', '\nExample:\n  cairn blocks list --agent Ada')
    .action(act(list))
