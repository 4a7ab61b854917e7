import { Command } from 'commander'
import type { ClientConfig } from '../config.ts'
import { createAct } from './action.ts'
import { agentsCommand } from './agents/command.ts'
import { chatCommand } from './chat/command.ts'
import { doctorCommand } from './doctor/command.ts'
import { keysCommand } from './keys/command.ts'
import { profilesCommand } from './profiles/command.ts'
import { loginCommand } from './profiles/login.ts'
import { serveCommand } from './serve-command.ts'
import type { Terminal } from './terminal.ts'
import { version } from './version.ts'

/** Commands and their subcommands report errors by throwing, at the terminal's streams. */
function prepare(command: Command, { stdout, stderr }: Terminal): void {
  command
    .exitOverride()
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => void stdout.write(text),
      writeErr: (text) => void stderr.write(text),
    })
  for (const inner of command.commands) prepare(inner, { stdout, stderr } as Terminal)
}

/** The commands of `cairn`. `onExitCode` gets the exit code of a command that fails without an error. */
export function createProgram(
  terminal: Terminal,
  readSettings: () => ClientConfig,
  onExitCode: (code: number) => void,
): Command {
  const act = createAct(terminal, readSettings, onExitCode)
  const program = new Command('cairn')
    .description('a self-hosted server for stateful LLM agents')
    .version(version)
    .option('--json', 'write JSON')
    .option('--profile <name>', 'the server and the key of this profile')
    .option('--no-color', 'write no colours')
    .addHelpText('after', '\nExit codes: 0 done, 1 failed, 2 wrong use, 3 differences found.')
  for (const create of [
    chatCommand,
    agentsCommand,
    loginCommand,
    profilesCommand,
    serveCommand,
    keysCommand,
    doctorCommand,
  ])
    program.addCommand(create(act))
  prepare(program, terminal)
  return program
}
