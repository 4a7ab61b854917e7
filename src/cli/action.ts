import type { Command } from 'commander'
import type { ClientConfig } from '../config.ts'
import { type Cli, type CommonOptions, createCli } from './cli.ts'
import type { Terminal } from './terminal.ts'

/** The work of a command, with its arguments and its options. Returns the exit code where that isn't 0. */
// biome-ignore lint/suspicious/noConfusingVoidType: most works return nothing
type Work = (cli: Cli, ...given: never[]) => Promise<number | void>

/** Makes the work of a command its action. */
export type Act = (work: Work) => (this: Command, ...given: unknown[]) => Promise<void>

/** The actions of commands at a terminal. `onExitCode` gets the exit codes that works return. */
export function createAct(
  terminal: Terminal,
  readSettings: () => ClientConfig,
  onExitCode: (code: number) => void,
): Act {
  return (work) =>
    async function (...given) {
      const cli = createCli(terminal, readSettings(), this.optsWithGlobals<CommonOptions>())
      // Commander adds the command itself. The rest holds: a work has the parameters that its command declares.
      const code = await work(cli, ...(given.slice(0, -1) as never[]))
      if (code) onExitCode(code)
    }
}
