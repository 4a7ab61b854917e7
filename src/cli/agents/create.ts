import { Command, InvalidArgumentError } from 'commander'
import type { Agent } from '../../resources/agents/schema.ts'
import type { Act } from '../action.ts'
import type { Cli } from '../cli.ts'
import { collect } from '../list-options.ts'

interface BlockOption {
  label: string
  value: string
}

interface Options {
  model?: string
  system?: string
  description?: string
  block?: BlockOption[]
  tool?: string[]
  tag?: string[]
  baseTools: boolean
}

function collectBlock(text: string, blocks: readonly BlockOption[] = []): BlockOption[] {
  const [, label, value] = /^([^=]+)=(.*)$/s.exec(text) ?? []
  if (label === undefined || value === undefined) throw new InvalidArgumentError('Write it as label=value.')
  return [...blocks, { label, value }]
}

async function create(cli: Cli, name: string, { block, tool, tag, baseTools, ...settings }: Options): Promise<void> {
  const agent = await cli.client().post<Agent>('/v1/agents/', {
    name,
    ...settings,
    memory_blocks: block,
    tools: tool,
    tags: tag,
    include_base_tools: baseTools,
  })
  cli.show(agent, () => agent.id)
}

/** `cairn agents create` */
export const createAgent = (act: Act) =>
  new Command('create')
    .description('create an agent, and write its id')
    .argument('<name>')
    .option('--model <handle>', 'such as openai/gpt-5-mini (default: that of the server)')
    .option('--system <text>', 'the instructions')
    .option('--description <text>')
    .option('--block <label=value>', 'a memory block; may be repeated', collectBlock)
    .option('--tool <name>', 'a tool by its name; may be repeated', collect)
    .option('--tag <tag>', 'a tag; may be repeated', collect)
    .option('--no-base-tools', 'without the usual tools for memory and search')
    .addHelpText(
      'after',
      '\nExamples:\n  cairn agents create Ada --block human="Likes tea." --tag demo\n  cairn agents create Bo --model openai/gpt-5-mini',
    )
    .action(act(create))
