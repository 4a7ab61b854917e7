import { Command } from 'commander'
import type { Tool } from '../../resources/tools/schema.ts'
import type { Act } from '../action.ts'
import type { Cli } from '../cli.ts'
import type { Client } from '../client.ts'
import { findByName } from '../find.ts'
import { readSource } from './source-file.ts'

/** Creates the tool of a source, or changes the one of its name. Returns the tool, and how it was stored. */
async function push(client: Client, source: ReturnType<typeof readSource>) {
  const { name } = await client.post<{ name: string }>('/v1/tools/generate-schema', {
    code: source.source_code,
    source_type: source.source_type,
  })
  const before = await findByName<Tool & { name: string }>(client, 'tool', name)
  if (before?.source_code === source.source_code) return { tool: before as Tool, state: 'unchanged' }
  const tool = await client.put<Tool>('/v1/tools/', source)
  return { tool, state: before ? 'changed' : 'created' }
}

async function pushAll(cli: Cli, files: string[]): Promise<void> {
  const client = cli.client()
  // Every file is read before the first request: a missing one changes nothing.
  const sources = files.map((file) => readSource(cli, file))
  for (const source of sources) {
    const { tool, state } = await push(client, source)
    cli.show({ id: tool.id, name: tool.name, state }, () => `${state.padEnd(9)}  ${tool.name}  ${tool.id}`)
  }
}

/** `cairn tools push` */
export const pushTools = (act: Act) =>
  new Command('push')
    .description('create the tools in source files, or change those of their names')
    .argument('<files...>', 'Python (.py) or TypeScript (.ts), one tool in each')
    .addHelpText('after', '\nThe key needs the scope tools:write.\n\nExample:\n  cairn tools push tools/*.py')
    .action(act(pushAll))
