import { Command } from 'commander'
import type { Act } from '../action.ts'
import type { Cli } from '../cli.ts'
import { EXIT } from '../exit.ts'
import { createEventWriter } from './event-writer.ts'
import { followRun } from './follow.ts'

async function tail(cli: Cli, id: string): Promise<number> {
  const writer = createEventWriter(cli)
  for await (const event of followRun(cli.client(), id)) writer.write(event)
  writer.end()
  const { error, stopReason } = writer.outcome
  if (error !== undefined) cli.note(error)
  else if (stopReason !== 'end_turn') cli.note(`The run ended: ${stopReason}.`)
  return error === undefined ? 0 : EXIT.failed
}

/** `cairn runs tail` */
export const tailRun = (act: Act) =>
  new Command('tail')
    .description('write the response of a run from its beginning, and follow it to its end')
    .argument('<run>', 'its id')
    .addHelpText('after', '\nExample:\n  cairn runs tail run-… --json')
    .action(act(tail))
