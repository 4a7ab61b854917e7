import { existsSync, readdirSync } from 'node:fs'
import tab from '@bomb.sh/tab/commander'
import type { Command } from 'commander'

const USAGE = `
Examples:
  source <(cairn complete bash)
  source <(cairn complete zsh)
  cairn complete fish > ~/.config/fish/completions/cairn.fish`

/** A function of the package bash-completion that the script for bash calls, for machines without that package. */
const BASH_WORDS = `declare -F _get_comp_words_by_ref >/dev/null || _get_comp_words_by_ref() {
  words=("\${COMP_WORDS[@]}") cword=$COMP_CWORD cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]}
}`

/** The arguments, and the values of options, that are paths of files or folders, by their names in the help. */
const PATHS = /^(file|files|source|directory)$/

/**
 * The paths of files and folders that begin with a text. A folder that is the only one comes with its content: a shell then goes
 * on inside the folder, instead of adding a space.
 */
export function pathsAt(text: string): string[] {
  const [folder, start] = [text.slice(0, text.lastIndexOf('/') + 1), text.slice(text.lastIndexOf('/') + 1)]
  const entries = existsSync(folder || '.') ? readdirSync(folder || '.', { withFileTypes: true }) : []
  const found = entries.filter(({ name }) => name.startsWith(start) && (start !== '' || !name.startsWith('.')))
  const paths = found.map((entry) => `${folder}${entry.name}${entry.isDirectory() ? '/' : ''}`)
  return paths.length === 1 && paths[0]!.endsWith('/') ? [...paths, ...pathsAt(paths[0]!)] : paths
}

type Completions = ReturnType<typeof tab>
type Handler = (complete: (path: string, description: string) => void) => void

/** Has the arguments and options of a command, and of those below it, completed by paths where they take some. */
function completePaths(completions: Completions, command: Command, words: string, handler: Handler): void {
  const target = words === '' ? completions : completions.commands.get(words)
  for (const argument of command.registeredArguments) {
    const completed = target?.arguments.get(argument.name())
    if (completed && PATHS.test(argument.name())) completed.handler = handler
  }
  for (const { long, flags } of command.options) {
    const completed = target?.options.get(long?.slice(2) ?? '')
    if (completed && PATHS.test(/<(\w+)>/.exec(flags)?.[1] ?? '')) completed.handler = handler
  }
  for (const inner of command.commands) completePaths(completions, inner, `${words} ${inner.name()}`.trim(), handler)
}

/** Adds `cairn complete`, which writes a script for a shell; the script asks the same command for completions. */
export function addCompletion(program: Command): void {
  const completions = tab(program)
  completePaths(completions, program, '', (complete) => {
    // The last word is the one to be completed; in `--file=a` it follows the name of the option.
    const word = program.args.at(-1)?.replace(/^-[^=]*=/, '') ?? ''
    for (const path of pathsAt(word)) complete(path, '')
  })
  const complete = program.commands.find((command) => command.name() === 'complete')
  complete?.addHelpText('after', USAGE).hook('preAction', (_, { args }) => {
    if (args[0] === 'bash') console.log(BASH_WORDS)
  })
}
