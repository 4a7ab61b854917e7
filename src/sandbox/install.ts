import { spawn } from 'node:child_process'
import { chown, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sizeOf } from './installed.ts'
import { CANT_INSTALL, type Install, PackageError } from './packages.ts'
import type { Language, Package } from './sandbox.ts'
import { type Command, killGroup } from './spawn.ts'

/** Where packages come from. */
export interface PackageIndexes {
  /** A simple index of Python packages (PEP 503), and a registry of npm packages; undefined: the installer's own. */
  pip: string | undefined
  npm: string | undefined
}

export interface InstallerSettings extends PackageIndexes {
  /** Python with pip, and Deno. */
  programs: Readonly<Partial<Record<Language, string>>>
  /** The command of an installer with a network, which writes to `directory` alone, and the path of that directory inside. */
  enclose(program: readonly string[], directory: string): { command: Command; inside: string }
  /** Owner of the files; absent: the user of the server. */
  uid: number | undefined
}

const TIMEOUT_MS = 300_000
const LOOK_MS = 2_000

/** The last characters of what an installer writes. */
const TAIL = 2_000

const pipSpec = ({ name, version }: Package) => (version ? `${name}==${version}` : name)

/** pip for wheels alone: it runs no code of a package. */
function pipCommand(python: string, index: string | undefined, packages: readonly Package[], target: string): string[] {
  const { protocol, host } = index ? new URL(index) : {}
  return [
    ...[python, '-I', '-m', 'pip', '--isolated', '--no-input', '--disable-pip-version-check', '--no-cache-dir'],
    ...['install', '--quiet', '--only-binary', ':all:', '--target', target],
    ...(index ? ['--index-url', index] : []),
    ...(protocol === 'http:' ? ['--trusted-host', host!] : []),
    ...['--', ...packages.map(pipSpec)],
  ]
}

/** Deno as an installer of npm packages: it runs none of their scripts. The packages are in a file, not among the arguments. */
const npmCommand = (deno: string, registry: string | undefined, target: string): string[] => [
  ...['/usr/bin/env', '-C', target, 'HOME=/tmp', 'DENO_NO_PROMPT=1', 'NO_COLOR=1'],
  ...(registry ? [`NPM_CONFIG_REGISTRY=${registry}`] : []),
  ...[deno, 'install', '--quiet', '--prod', '--no-lock', '--node-modules-dir=auto'],
]

/** Runs an installer. Rejects with a PackageError that has its last lines. */
async function runInstaller(
  { file, args, env = {}, uid }: Command,
  directory: string,
  signal?: AbortSignal,
): Promise<void> {
  const done = Promise.withResolvers<void>()
  const child = spawn(file, args, {
    ...{ env, cwd: '/', detached: true, stdio: ['ignore', 'pipe', 'pipe'] },
    ...(uid !== undefined && { uid, gid: uid }),
  })
  let tail = ''
  const read = (chunk: Buffer) => {
    tail = (tail + chunk.toString()).slice(-TAIL)
  }
  child.stdout.on('data', read)
  child.stderr.on('data', read)
  const failed = (reason: string) => done.reject(new PackageError(`${CANT_INSTALL} ${reason}`))
  child.once('error', ({ message }) => failed(message))
  child.once('close', (code) =>
    code === 0 ? done.resolve() : failed(tail.trim() || `the installer ended with ${code}`),
  )
  const timer = setTimeout(() => failed(`it took more than ${TIMEOUT_MS / 1000} seconds`), TIMEOUT_MS)
  const look = setInterval(() => sizeOf(directory).catch(({ message }) => failed(message)), LOOK_MS)
  const abort = () => done.reject(signal!.reason)
  signal?.addEventListener('abort', abort, { once: true })
  try {
    signal?.throwIfAborted()
    await done.promise
  } finally {
    clearTimeout(timer)
    clearInterval(look)
    signal?.removeEventListener('abort', abort)
    killGroup(child)
  }
}

/** Creates what installs packages: pip for Python, Deno for TypeScript. */
export const createInstaller =
  ({ programs, pip, npm, enclose, uid }: InstallerSettings): Install =>
  async (language, packages, directory, signal) => {
    const program = programs[language]
    if (!program) throw new PackageError(`This server has no installer of packages in ${language}.`)
    if (uid !== undefined) await chown(directory, uid, uid)
    const { inside } = enclose([], directory)
    if (language === 'typescript') {
      const dependencies = Object.fromEntries(packages.map(({ name, version }) => [name, version ?? 'latest']))
      await writeFile(join(directory, 'package.json'), JSON.stringify({ dependencies }))
    }
    const line = language === 'python' ? pipCommand(program, pip, packages, inside) : npmCommand(program, npm, inside)
    await runInstaller(enclose(line, directory).command, directory, signal)
  }
