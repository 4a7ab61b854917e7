import { CommanderError } from 'commander'
import { type ClientConfig, ConfigError } from '../config.ts'
import { CommandError, EXIT } from './exit.ts'
import { createProgram } from './program.ts'
import { safeText, type Terminal } from './terminal.ts'

/** The help without a command: where to begin. */
const START = `cairn: a self-hosted server for stateful LLM agents

Begin:
  cairn serve                  start a server in this folder
  cairn login                  store the address of a server and a key
  cairn agents create Ada      create an agent
  cairn chat Ada               talk to it

Go on:
  cairn apply -f agents.yaml   make agents as a file describes them
  cairn runs list              see what agents have done
  cairn doctor                 find out what a server lacks
  cairn --help                 list all commands
`

/** The exit code and the message of an expected error. Rethrows any other. */
function explain(error: unknown): { code: number; message: string } {
  if (error instanceof CommanderError) {
    // Commander has written its message.
    return { code: error.exitCode === 0 ? 0 : EXIT.usage, message: '' }
  }
  if (error instanceof CommandError) return { code: error.exitCode, message: error.message }
  // Errors of the system and of the database have codes.
  if (error instanceof ConfigError || (error instanceof Error && 'code' in error)) {
    return { code: EXIT.failed, message: error.message }
  }
  throw error
}

/** Runs a command line and returns its exit code (see `EXIT`). Throws what no command expects. */
export async function runCairn(
  args: readonly string[],
  terminal: Terminal,
  readSettings: () => ClientConfig,
): Promise<number> {
  let exitCode = 0
  if (args.length === 0) {
    terminal.stdout.write(START)
    return exitCode
  }
  const program = createProgram(terminal, readSettings, (code) => {
    exitCode = code
  })
  try {
    await program.parseAsync(args, { from: 'user' })
    return exitCode
  } catch (error) {
    const { code, message } = explain(error)
    if (message) terminal.stderr.write(`${safeText(message)}\n`)
    return code
  }
}
