import type { Cli } from '../cli.ts'
import type { Client } from '../client.ts'
import { createEventWriter, type Outcome } from '../runs/event-writer.ts'
import { sendAndFollow } from '../runs/follow.ts'
import type { Target } from './target.ts'

/** Cancels the run of a turn, whose id may not be known yet. The stream ends with the reason `cancelled`. */
function createCancel(cli: Cli, client: Client, { cancel }: Target, outcome: Outcome) {
  let wanted = false
  return {
    request() {
      wanted = true
      cli.note('\nCancelling …')
      this.whenKnown()
    },
    whenKnown() {
      if (!wanted || outcome.runId === undefined) return
      wanted = false
      // A run that has ended meanwhile can't be cancelled, and needs not.
      const body = cancel.startsWith('/v1/agents/') ? { run_ids: [outcome.runId] } : {}
      client.post(cancel, body).catch((error: Error) => cli.note(error.message))
    },
  }
}

/** Sends messages and writes the response as it comes. Ctrl-C cancels the run, not the program. */
export async function takeTurn(cli: Cli, client: Client, target: Target, body: object): Promise<Outcome> {
  const writer = createEventWriter(cli)
  const cancel = createCancel(cli, client, target, writer.outcome)
  const stopListening = cli.terminal.onInterrupt(() => cancel.request())
  try {
    for await (const event of sendAndFollow(client, target.messages, body)) {
      writer.write(event)
      cancel.whenKnown()
    }
  } finally {
    stopListening()
    writer.end()
  }
  const { error, stopReason } = writer.outcome
  if (error !== undefined) cli.note(cli.style('red', error))
  else if (stopReason === 'cancelled') cli.note('Cancelled.')
  return writer.outcome
}
