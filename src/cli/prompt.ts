import { createInterface } from 'node:readline/promises'
import { PassThrough } from 'node:stream'
import type { Cli } from './cli.ts'
import { CommandError, EXIT, wrongUse } from './exit.ts'

/** Whether a person can be asked. */
export const isInteractive = ({ terminal }: Cli) => Boolean(terminal.stdin.isTTY && terminal.stdout.isTTY)

/** Asks a question at the terminal. `hidden`: the response isn't shown. Throws when Ctrl-C or Ctrl-D refuses a response. */
export async function ask({ terminal }: Cli, question: string, hidden = false): Promise<string> {
  const { stdin, stdout } = terminal
  if (hidden) stdout.write(question)
  // An output that nobody reads hides what is typed.
  const output = hidden ? new PassThrough().resume() : stdout
  const lines = createInterface({ input: stdin, output, terminal: true, historySize: 0 })
  const left = new AbortController()
  lines.on('SIGINT', () => left.abort())
  lines.on('close', () => left.abort())
  try {
    const response = await lines.question(hidden ? '' : question, { signal: left.signal })
    return response.trim()
  } catch {
    throw new CommandError('Nothing was done.', EXIT.interrupted)
  } finally {
    lines.close()
    if (hidden) stdout.write('\n')
  }
}

/** Throws unless the user agrees at the terminal. With `yes`, nobody is asked; without a terminal, `yes` is needed. */
export async function confirm(cli: Cli, question: string, yes: boolean | undefined): Promise<void> {
  if (yes) return
  if (!isInteractive(cli)) throw wrongUse('Add --yes: nobody is at the terminal to ask.')
  if (!/^y(es)?$/i.test(await ask(cli, `${question} [y/N] `))) throw new CommandError('Nothing was done.')
}

/** The whole of the standard input, without its last line break. */
export async function readInput({ terminal }: Cli): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of terminal.stdin) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks)
    .toString('utf8')
    .replace(/\r?\n$/, '')
}
