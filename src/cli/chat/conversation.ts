import type { Cli } from '../cli.ts'
import { type Client, path } from '../client.ts'
import { editText } from '../edit-text.ts'
import { CommandError } from '../exit.ts'
import { type Call, collectCalls } from '../runs/calls.ts'
import { respondToCalls } from './approvals.ts'
import { finishTurn } from './finish-turn.ts'
import { readMessage } from './read-message.ts'
import type { Target } from './target.ts'

/** The calls of the agent that wait for an approval since an earlier run. */
async function waitingCalls(client: Client, { agentId }: Target): Promise<Call[]> {
  const { pending_approval: request } = await client.get<{ pending_approval?: { message_type: string } }>(
    path`/v1/agents/${agentId}`,
    { include: ['agent.pending_approval'] },
  )
  const calls = new Map<string, Call>()
  if (request) collectCalls(calls, request)
  return [...calls.values()]
}

/** The message for a line that was typed; undefined where there is nothing to send. */
async function messageFor(cli: Cli, line: string): Promise<string | undefined> {
  const text = line.trim() === '/edit' ? await editText(cli, '', 'message.md') : line
  return text.trim() === '' ? undefined : text
}

/** Talks to an agent at the terminal until the user leaves. An error of one turn doesn't end the chat. */
export async function chatAtTerminal(cli: Cli, client: Client, target: Target, approveAll: boolean): Promise<void> {
  cli.note(cli.style('dim', `Chat with ${target.name}. Ctrl-D ends it, /edit opens an editor.`))
  async function turn(body: object | undefined) {
    if (body) await finishTurn(cli, client, target, body, approveAll)
  }
  const isAgent = target.messages.startsWith('/v1/agents/')
  const waiting = isAgent ? await waitingCalls(client, target) : []
  let next = waiting.length > 0 ? async () => respondToCalls(cli, waiting, approveAll) : undefined
  for (;;) {
    try {
      if (next) await turn(await next())
      next = undefined
      const line = await readMessage(cli)
      if (line === undefined || ['/exit', '/quit'].includes(line.trim())) return
      const input = await messageFor(cli, line)
      await turn(input === undefined ? undefined : { input })
    } catch (error) {
      if (!(error instanceof CommandError)) throw error
      next = undefined
      cli.note(cli.style('red', error.message))
    }
  }
}
