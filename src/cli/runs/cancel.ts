import { Command } from 'commander'
import type { Run } from '../../resources/runs/schema.ts'
import type { Act } from '../action.ts'
import type { Cli } from '../cli.ts'
import { path } from '../client.ts'
import { CommandError } from '../exit.ts'

async function cancel(cli: Cli, id: string): Promise<void> {
  const client = cli.client()
  const run = await client.get<Run>(path`/v1/runs/${id}`)
  const owner = run.group_id === run.agent_id ? path`/v1/groups/${run.agent_id}` : path`/v1/agents/${run.agent_id}`
  const result = await client.post<Record<string, string>>(`${owner}/messages/cancel`, { run_ids: [id] })
  if (result[id] === 'failed') throw new CommandError(`${id} has ended already: ${run.status}.`)
  cli.show(result, () => `Cancelled ${id}.`)
}

/** `cairn runs cancel` */
export const cancelRun = (act: Act) =>
  new Command('cancel')
    .description('cancel a run that waits or is carried out')
    .argument('<run>', 'its id')
    .addHelpText('after', '\nExample:\n  cairn runs cancel run-…')
    .action(act(cancel))
