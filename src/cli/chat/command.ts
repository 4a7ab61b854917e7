import { Command } from 'commander'
import type { Act } from '../action.ts'
import type { Cli } from '../cli.ts'
import type { Client } from '../client.ts'
import { EXIT, wrongUse } from '../exit.ts'
import { isInteractive, readInput } from '../prompt.ts'
import { chatAtTerminal } from './conversation.ts'
import { finishTurn } from './finish-turn.ts'
import { findTarget, type Target } from './target.ts'

interface Options {
  conversation?: string
  approveAll?: boolean
}

/** Sends one message and writes the response. Exit code 1 when the run fails, or waits for an approval. */
async function sendOnce(cli: Cli, client: Client, target: Target, input: string, approveAll: boolean) {
  if (input.trim() === '') throw wrongUse('The message is empty.')
  const { error, pending, stopReason } = await finishTurn(cli, client, target, { input }, approveAll)
  if (pending.length > 0) cli.note('Calls wait for an approval: run `cairn chat` at a terminal, or add --approve-all.')
  return error !== undefined || pending.length > 0 || stopReason === 'cancelled' ? EXIT.failed : 0
}

async function chat(cli: Cli, reference: string, words: string[], { conversation, approveAll = false }: Options) {
  const client = cli.client()
  const target = await findTarget(client, reference, conversation)
  if (words.length > 0) return sendOnce(cli, client, target, words.join(' '), approveAll)
  if (!isInteractive(cli)) return sendOnce(cli, client, target, await readInput(cli), approveAll)
  await chatAtTerminal(cli, client, target, approveAll)
  return 0
}

/** `cairn chat` */
export const chatCommand = (act: Act) =>
  new Command('chat')
    .description('talk to an agent')
    .argument('<agent>', 'its name or id')
    .argument('[message...]', 'one message; without it, the messages come from the terminal or the standard input')
    .option('--conversation <id>', 'talk in this conversation')
    .option('--approve-all', 'approve every call of a tool that needs it')
    .addHelpText(
      'after',
      `
At the terminal, a line that ends with \\ goes on in the next, and lines between two lines of """ are one message.
Ctrl-C cancels the response; at an empty prompt, twice, it ends the chat. /edit writes a message in $EDITOR.

Examples:
  cairn chat Ada
  cairn chat Ada "What do I like to drink?"
  git diff | cairn chat Reviewer`,
    )
    .action(act(chat))
