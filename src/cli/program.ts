import { Command } from 'commander'
import type { ClientConfig } from '../config.ts'
import { createAct } from './action.ts'
import { agentsCommand } from './agents/command.ts'
import { applyCommand, diffCommand } from './apply/command.ts'
import { getCommand } from './apply/get.ts'
import { archivesCommand } from './archives/command.ts'
import { blocksCommand } from './blocks/command.ts'
import { chatCommand } from './chat/command.ts'
import { addCompletion } from './completion.ts'
import { doctorCommand } from './doctor/command.ts'
import { filesCommand } from './files/command.ts'
import { keysCommand } from './keys/command.ts'
import { migrateCommand } from './migrate.ts'
import { openapiCommand } from './openapi.ts'
import { profilesCommand } from './profiles/command.ts'
import { loginCommand } from './profiles/login.ts'
import { runsCommand } from './runs/command.ts'
import { serveCommand } from './serve-command.ts'
import type { Terminal } from './terminal.ts'
import { toolsCommand } from './tools/command.ts'
import { version } from './version.ts'

/** Every command, in the order of the help. */
const COMMANDS = [
  ...[chatCommand, agentsCommand, blocksCommand, archivesCommand, filesCommand, toolsCommand, runsCommand],
  ...[applyCommand, diffCommand, getCommand],
  ...[loginCommand, profilesCommand, keysCommand, openapiCommand],
  ...[serveCommand, migrateCommand, doctorCommand],
]

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
  for (const create of COMMANDS) program.addCommand(create(act))
  addCompletion(program)
  prepare(program, terminal)
  return program
}
