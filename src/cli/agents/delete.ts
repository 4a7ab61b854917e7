import { Command } from 'commander'
import type { Agent } from '../../resources/agents/schema.ts'
import type { Act } from '../action.ts'
import type { Cli } from '../cli.ts'
import { agentRoute } from '../find.ts'
import { confirm } from '../prompt.ts'

async function remove(cli: Cli, reference: string, { yes }: { yes?: boolean }): Promise<void> {
  const client = cli.client()
  const route = await agentRoute(client, reference)
  const { id, name } = await client.get<Agent>(route)
  await confirm(cli, `Delete agent "${name}" (${id}) with its messages and runs? Its blocks stay.`, yes)
  await client.delete(route)
  cli.show({ id, deleted: true }, () => `Deleted ${id}.`)
}

/** `cairn agents delete` */
export const deleteAgent = (act: Act) =>
  new Command('delete')
    .description('delete an agent with its messages and runs')
    .argument('<agent>', 'its name or id')
    .option('-y, --yes', "don't ask")
    .addHelpText('after', '\nExample:\n  cairn agents delete Ada --yes')
    .action(act(remove))
