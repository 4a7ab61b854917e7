import { Command } from 'commander'
import type { Agent } from '../../resources/agents/schema.ts'
import type { Act } from '../action.ts'
import type { Cli } from '../cli.ts'
import { agentRoute } from '../find.ts'

const RELATIONS = ['agent.blocks', 'agent.tools', 'agent.tags', 'agent.sources', 'agent.identities']

/** Lines of an agent's fields, its tools and its blocks. */
function describe(cli: Cli, agent: Agent): string {
  const fields = {
    Id: agent.id,
    Model: agent.model ?? agent.llm_config.handle,
    Description: agent.description,
    Tags: agent.tags.join(', '),
    Tools: agent.tools.map(({ name }) => name).join(', '),
    Folders: agent.sources.map(({ name }) => name).join(', '),
    'Last run': agent.last_run_completion && `${agent.last_run_completion} (${agent.last_stop_reason})`,
  }
  const lines = Object.entries(fields).flatMap(([name, value]) => (value ? [`${name.padEnd(12)} ${value}`] : []))
  const blocks = agent.blocks.flatMap(({ label = '', value, limit }) => [
    '',
    `${cli.style('bold', label)} ${cli.style('dim', `${[...value].length}${limit ? ` of ${limit}` : ''} characters`)}`,
    value,
  ])
  return [cli.style('bold', agent.name), ...lines, ...blocks].join('\n')
}

async function get(cli: Cli, reference: string): Promise<void> {
  const client = cli.client()
  const agent = await client.get<Agent>(await agentRoute(client, reference), { include: RELATIONS })
  cli.show(agent, () => describe(cli, agent))
}

/** `cairn agents get` */
export const getAgent = (act: Act) =>
  new Command('get')
    .description('show an agent with its memory blocks and tools')
    .argument('<agent>', 'its name or id')
    .addHelpText('after', '\nExamples:\n  cairn agents get Ada\n  cairn agents get Ada --json | jq .system')
    .action(act(get))
