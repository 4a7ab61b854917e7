import { cpSync, mkdirSync, readFileSync } from 'node:fs'
import { join, matchesGlob, posix, relative } from 'node:path'

/** An instruction of a Dockerfile. A continued line is one. */
export interface Instruction {
  name: string
  text: string
}

/** A file system that the instructions after a FROM make. `root`: its directory on this machine. */
export interface Stage {
  image: string
  root: string
  directory: string
  user: string
  environment: Record<string, string>
  /** The last instruction of each name. */
  last: Record<string, string>
}

/** What the instructions need of a machine. */
export interface Machine {
  /** Fills the directory with the content of an image. */
  from(image: string, root: string): void
  /** Runs a command of the shell in a stage. */
  run(stage: Stage, command: string): void
}

/** The instructions of a Dockerfile, in order. */
export const readDockerfile = (path: string): Instruction[] =>
  readFileSync(path, 'utf8')
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => ({ name: line.split(' ', 1)[0]!, text: line.slice(line.indexOf(' ') + 1).trim() }))

/** Copies the files of a context that its .dockerignore doesn't leave out. */
function copyContext(context: string, target: string): void {
  const patterns = readFileSync(join(context, '.dockerignore'), 'utf8').trim().split('\n')
  const filter = (path: string) => !patterns.some((pattern) => matchesGlob(relative(context, path), pattern))
  cpSync(context, target, { recursive: true, filter })
}

/** Carries out the instructions of a Dockerfile in directories below `base`. Returns its last stage. */
export function build(instructions: readonly Instruction[], context: string, base: string, machine: Machine): Stage {
  const stages = new Map<string, Stage>()
  let stage!: Stage
  const inside = (path: string) => posix.resolve(stage.directory, path)
  for (const { name, text } of instructions) {
    const words = text.split(' ')
    if (name === 'FROM') {
      const [image, , alias = 'last'] = words as [string, string?, string?]
      const root = join(base, alias)
      stage = { image, root, directory: '/', user: '0', environment: {}, last: {} }
      stages.set(alias, stage)
      machine.from(image, root)
    } else if (name === 'WORKDIR') {
      stage.directory = inside(text)
      mkdirSync(stage.root + stage.directory, { recursive: true })
    } else if (name === 'USER') stage.user = text
    else if (name === 'RUN') machine.run(stage, text)
    else if (name === 'ENV') {
      for (const [key, value] of words.map((word) => word.split('=') as [string, string])) {
        stage.environment[key] = value.replace('$PATH', '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin')
      }
    } else if (name === 'COPY') {
      const from = words[0]!.startsWith('--from=') ? stages.get(words.shift()!.slice('--from='.length))! : undefined
      const to = words.pop()!
      for (const path of words) {
        const target = to.endsWith('/') && from ? join(to, posix.basename(path)) : to
        if (!from) copyContext(context, stage.root + inside(to))
        else cpSync(from.root + path, stage.root + inside(target), { recursive: true, verbatimSymlinks: true })
      }
    } else stage.last[name] = text
  }
  return stage
}
