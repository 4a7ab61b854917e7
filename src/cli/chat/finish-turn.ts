import type { Cli } from '../cli.ts'
import type { Client } from '../client.ts'
import { isInteractive } from '../prompt.ts'
import type { Outcome } from '../runs/event-writer.ts'
import { respondToCalls } from './approvals.ts'
import type { Target } from './target.ts'
import { takeTurn } from './turn.ts'

/** Takes a turn, and goes on while calls wait for an approval that somebody can give. */
export async function finishTurn(cli: Cli, client: Client, target: Target, body: object, approveAll: boolean) {
  let outcome: Outcome = await takeTurn(cli, client, target, body)
  while (outcome.pending.length > 0 && (approveAll || isInteractive(cli))) {
    outcome = await takeTurn(cli, client, target, await respondToCalls(cli, outcome.pending, approveAll))
  }
  return outcome
}
