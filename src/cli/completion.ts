import tab from '@bomb.sh/tab/commander'
import type { Command } from 'commander'

const USAGE = `
Examples:
  source <(cairn complete bash)
  source <(cairn complete zsh)
  cairn complete fish > ~/.config/fish/completions/cairn.fish`

/** Adds `cairn complete`, which writes a script for a shell; the script asks the same command for completions. */
export function addCompletion(program: Command): void {
  tab(program)
  program.commands.find((command) => command.name() === 'complete')?.addHelpText('after', USAGE)
}
