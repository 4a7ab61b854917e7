import { Command, Option } from 'commander'
import type { Run } from '../../resources/runs/schema.ts'
import type { Act } from '../action.ts'
import type { Cli } from '../cli.ts'
import { findId } from '../find.ts'
import { instant, type ListOptions, mostRows, withPages } from '../list-options.ts'
import { showRows } from '../table.ts'

interface Options extends ListOptions {
  agent?: string
  status?: string
  from?: string
  until?: string
}

/** Nanoseconds as seconds with two digits. */
export const seconds = (nanoseconds: number | undefined) =>
  nanoseconds === undefined ? '' : `${(nanoseconds / 1e9).toFixed(2)} s`

async function list(cli: Cli, { agent, status, from, until, ...pages }: Options): Promise<void> {
  const client = cli.client()
  const agentId = agent === undefined ? undefined : await findId(client, 'agent', agent)
  const query = { agent_id: agentId, statuses: status, start_date: from, end_date: until }
  await showRows(cli, client.list<Run>('/v1/runs/', query, mostRows(pages)), {
    STATUS: ({ status }) => status,
    'STOP REASON': ({ stop_reason }) => stop_reason,
    BEGUN: ({ created_at }) => created_at,
    TOOK: ({ total_duration_ns }) => seconds(total_duration_ns),
    ID: ({ id }) => id,
    AGENT: ({ agent_id }) => agent_id,
  })
}

const STATUSES = ['created', 'running', 'completed', 'failed', 'cancelled']

/** `cairn runs list` */
export const listRuns = (act: Act) =>
  withPages(new Command('list').description('list runs, newest first'))
    .option('--agent <agent>', 'those of this agent')
    .addOption(new Option('--status <status>', 'those with this status').choices(STATUSES))
    .option('--from <time>', 'those that began then or later', instant)
    .option('--until <time>', 'those that began then or earlier', instant)
    .addHelpText(
      'after',
      '\nExamples:\n  cairn runs list --agent Ada --status failed\n  cairn runs list --from 2026-11-23',
    )
    .action(act(list))
