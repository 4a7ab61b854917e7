import { Command, InvalidArgumentError } from 'commander'
import type { Act } from '../action.ts'
import type { Cli } from '../cli.ts'
import { EXIT } from '../exit.ts'
import { collect } from '../list-options.ts'
import { readSource } from './source-file.ts'

interface Options {
  args: Record<string, unknown>
  env?: string[]
}

interface Result {
  status: 'success' | 'error'
  tool_return: string
  stdout?: string[]
  stderr?: string[]
}

function parseArguments(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    if (value !== null && typeof value === 'object' && !Array.isArray(value)) return value as Record<string, unknown>
  } catch {}
  throw new InvalidArgumentError('Give an object of JSON.')
}

async function test(cli: Cli, file: string, { args, env = [] }: Options): Promise<number> {
  const variables = Object.fromEntries(env.map((pair) => pair.split(/=(.*)/s).slice(0, 2)))
  const result = await cli
    .client()
    .post<Result>('/v1/tools/run', { ...readSource(cli, file), args, env_vars: variables })
  for (const line of [result.stdout, result.stderr].flat()) if (line && !cli.json) cli.note(line.trimEnd())
  cli.show(result, () => result.tool_return)
  return result.status === 'success' ? 0 : EXIT.failed
}

/** `cairn tools test` */
export const testTool = (act: Act) =>
  new Command('test')
    .description("run the tool in a source file in the server's sandbox, and store nothing")
    .argument('<file>', 'Python (.py) or TypeScript (.ts)')
    .option('--args <json>', 'its arguments', parseArguments, {})
    .option('--env <name=value>', 'a variable of its environment; may be repeated', collect)
    .addHelpText('after', '\nExample:\n  cairn tools test roll_dice.py --args \'{"sides": 6}\'')
    .action(act(test))
