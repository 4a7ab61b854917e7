import { Command } from 'commander'
import type { Run, RunUsage } from '../../resources/runs/schema.ts'
import type { Step } from '../../resources/steps/schema.ts'
import type { Act } from '../action.ts'
import type { Cli } from '../cli.ts'
import { path } from '../client.ts'
import { table } from '../table.ts'
import { seconds } from './list.ts'

function describe(cli: Cli, run: Run, usage: RunUsage, steps: readonly Step[]): string {
  const fields = {
    Status: `${run.status}${run.stop_reason ? ` (${run.stop_reason})` : ''}`,
    Agent: run.agent_id,
    Conversation: run.conversation_id,
    Begun: run.created_at,
    Took: seconds(run.total_duration_ns),
    'First token': seconds(run.ttft_ns),
    Tokens: `${usage.prompt_tokens} in, ${usage.completion_tokens} out`,
    Cost: usage.cost === undefined ? undefined : `$${usage.cost.toFixed(6)}`,
  }
  const lines = Object.entries(fields).flatMap(([name, value]) => (value ? [`${name.padEnd(12)} ${value}`] : []))
  if (steps.length === 0) return lines.join('\n')
  const shown = table(cli, steps, {
    STEP: ({ id }) => id,
    MODEL: ({ model_handle, model }) => model_handle ?? model,
    STATUS: ({ status }) => status,
    IN: ({ prompt_tokens }) => prompt_tokens,
    OUT: ({ completion_tokens }) => completion_tokens,
    ERROR: ({ error_type }) => error_type,
  })
  return [...lines, '', shown].join('\n')
}

async function show(cli: Cli, id: string): Promise<void> {
  const client = cli.client()
  const route = path`/v1/runs/${id}`
  const [run, usage] = await Promise.all([client.get<Run>(route), client.get<RunUsage>(`${route}/usage`)])
  const steps: Step[] = []
  for await (const step of client.list<Step>(`${route}/steps`, { order: 'asc' })) steps.push(step)
  cli.show({ run, usage, steps }, () => describe(cli, run, usage, steps))
}

/** `cairn runs show` */
export const showRun = (act: Act) =>
  new Command('show')
    .description('show a run with its steps and tokens')
    .argument('<run>', 'its id')
    .addHelpText('after', '\nExample:\n  cairn runs show run-…')
    .action(act(show))
