import { Command } from 'commander'
import type { Agent } from '../../resources/agents/schema.ts'
import type { Act } from '../action.ts'
import type { Cli } from '../cli.ts'
import { collect, type ListOptions, mostRows, withPages } from '../list-options.ts'
import { showRows } from '../table.ts'

interface Options extends ListOptions {
  search?: string
  tag?: string[]
}

async function list(cli: Cli, { search, tag, ...pages }: Options): Promise<void> {
  const query = { query_text: search, tags: tag, match_all_tags: tag ? true : undefined, include: ['agent.tags'] }
  await showRows(cli, cli.client().list<Agent>('/v1/agents/', query, mostRows(pages)), {
    NAME: ({ name }) => name,
    MODEL: ({ model, llm_config }) => model ?? llm_config.handle,
    TAGS: ({ tags }) => tags.join(', '),
    'LAST RUN': ({ last_run_completion }) => last_run_completion,
    ID: ({ id }) => id,
  })
}

/** `cairn agents list` */
export const listAgents = (act: Act) =>
  withPages(new Command('list').description('list agents, newest first'))
    .option('--search <text>', 'those with this in their name')
    .option('--tag <tag>', 'those with this tag; several: with all of them', collect)
    .addHelpText('after', '\nExamples:\n  cairn agents list --tag support\n  cairn agents list --all --json')
    .action(act(list))
