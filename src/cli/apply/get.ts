import { Command, Option } from 'commander'
import { stringify } from 'yaml'
import type { Agent } from '../../resources/agents/schema.ts'
import type { Act } from '../action.ts'
import type { Cli } from '../cli.ts'
import { type Client, path } from '../client.ts'
import { findId } from '../find.ts'

const RELATIONS = ['agent.blocks', 'agent.tools', 'agent.tags', 'agent.sources']

/** Settings that a file has where the agent has them. Others follow from the model or from the server. */
const FIELDS = [
  'description',
  'model',
  'system',
  'tags',
  'timezone',
  'metadata',
  'compaction_settings',
  'response_format',
] as const
const BLOCK_FIELDS = ['label', 'description', 'value', 'limit', 'read_only', 'metadata', 'tags'] as const

/** Whether a value says something. */
const isFilled = (value: unknown) =>
  value !== undefined &&
  value !== null &&
  value !== false &&
  (typeof value !== 'object' || Object.keys(value).length > 0)

const pick = (row: object, fields: readonly string[]) =>
  Object.fromEntries(
    fields.flatMap((field) => {
      const value = (row as Record<string, unknown>)[field]
      return isFilled(value) ? [[field, value]] : []
    }),
  )

/** An agent as a file describes it. Tools that folders bring with them are left out: they come and go with the folders. */
const filed = ({ agent_type, ...agent }: Agent) => ({
  name: agent.name,
  ...(agent_type !== 'svc_v1_agent' && { agent_type }),
  ...pick(agent, FIELDS),
  ...pick(agent, ['tool_rules']),
  tools: agent.tools.flatMap(({ name, tool_type }) => (tool_type === 'svc_files_core' ? [] : [name])).sort(),
  ...pick({ folders: agent.sources.map(({ name }) => name).sort() }, ['folders']),
  blocks: agent.blocks
    .map(({ value, ...block }) => ({ label: block.label, ...pick(block, BLOCK_FIELDS), value }))
    .sort((a, b) => String(a.label).localeCompare(String(b.label))),
})

async function* agentsOf(client: Client, references: readonly string[]): AsyncGenerator<Agent> {
  const query = { include: RELATIONS }
  if (references.length === 0) yield* client.list<Agent>('/v1/agents/', query)
  for (const one of references) yield client.get<Agent>(path`/v1/agents/${await findId(client, 'agent', one)}`, query)
}

async function get(cli: Cli, references: string[], { output }: { output: string }): Promise<void> {
  const agents: object[] = []
  for await (const agent of agentsOf(cli.client(), references)) agents.push(filed(agent))
  const isJson = cli.json || output === 'json'
  cli.print(isJson ? JSON.stringify({ agents }, null, 2) : stringify({ agents }, { lineWidth: 0 }).trimEnd())
}

/** `cairn get` */
export const getCommand = (act: Act) =>
  new Command('get')
    .description('write agents as a file for `cairn apply`')
    .argument('[agents...]', 'their names or ids (default: all)')
    .addOption(new Option('-o, --output <format>', 'the format').choices(['yaml', 'json']).default('yaml'))
    .addHelpText('after', '\nExample:\n  cairn get Ada -o yaml > agents.yaml')
    .action(act(get))
