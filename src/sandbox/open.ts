import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { type Bubblewrap, NOBODY } from './bubblewrap.ts'
import { type Deno, denoProgram, findDeno, INSTALL_DENO } from './deno.ts'
import { createE2BSandbox, type E2BSettings } from './e2b.ts'
import { type Enclosure, enclosedIn, packagesDirectory, unenclosed } from './enclose.ts'
import { createInstaller, type PackageIndexes } from './install.ts'
import { createLocalSandbox } from './local.ts'
import { startOneShot } from './one-shot.ts'
import { createPackages } from './packages.ts'
import { LIMITS, type Sandbox, SandboxError, type Service } from './sandbox.ts'
import type { Command } from './spawn.ts'

export interface SandboxSettings {
  /** `auto` and `bubblewrap` are the same: code never runs without a sandbox by itself. */
  mode: 'auto' | 'bubblewrap' | 'e2b' | 'unsafe-local' | 'off'
  /** The directory of the server's data, which no code may see, wherever it lies. */
  dataDir: string
  /** The directory of installed packages, which the user of sandboxes can reach; absent: the usual one. */
  packages?: string | undefined
  /** Where packages come from. */
  packageIndexes: PackageIndexes
  /** The account at E2B, which serves where this machine can't; absent: none. */
  e2b?: E2BSettings | undefined
}

/** What runs the tools of this server, and how that is said at the start. */
export interface OpenedSandbox {
  sandbox: Sandbox
  kind: 'bubblewrap' | 'e2b' | 'unsafe-local' | 'none'
  /** One line for the operator. Of `none`, the reason and the remedy. */
  note: string
  /** The command that runs a program of the operator; absent where this machine has no sandbox. */
  encloseService?: Enclosure['encloseService']
}

const PYTHONS = ['/usr/bin/python3', '/usr/local/bin/python3', '/opt/homebrew/bin/python3']
const BUBBLEWRAPS = ['/usr/bin/bwrap', '/usr/local/bin/bwrap', '/run/current-system/sw/bin/bwrap']

const INSTALL = 'Install bubblewrap and Python (Debian, Ubuntu: apt-get install bubblewrap python3).'

interface Python {
  path: string
  version: string
  /** The harness, compiled by this Python. */
  harness: string
}

/** Prints the version, and the compiled code of the standard input: each process of a sandbox would compile it again. */
const COMPILE = `import marshal, sys
print("%d.%d.%d" % sys.version_info[:3], marshal.dumps(compile(sys.stdin.read(), "<string>", "exec")).hex())`

const LOAD = 'import marshal, sys; exec(marshal.loads(bytes.fromhex(sys.argv.pop())))'

/** The harness is an argument: a sandbox sees no file of this server. */
const pythonProgram = ({ path, harness }: Python) => [path, ...['-I', '-S', '-B', '-u', '-c', LOAD, harness]]

/** A sandbox that refuses all calls, with the remedy. */
const refusing = (note: string): OpenedSandbox => ({
  kind: 'none',
  note,
  sandbox: {
    place: async () => 'local',
    run: () => Promise.reject(new SandboxError(note)),
    forgetPackages: async () => {},
    close: async () => {},
  },
})

/** A Python; undefined for one that doesn't run. */
function pythonAt(path: string): Python | undefined {
  const input = readFileSync(new URL('./harness.py', import.meta.url))
  try {
    const options = { input, env: {}, encoding: 'utf8', timeout: 20_000 } as const
    const [version = '', harness = ''] = execFileSync(path, ['-I', '-S', '-c', COMPILE], options).trim().split(' ')
    return { path, version, harness }
  } catch {
    return undefined
  }
}

/** Python 3.10 or newer. */
function findPython(): Python | undefined {
  for (const path of PYTHONS.filter(existsSync)) {
    const python = pythonAt(path)
    const [major, minor] = python?.version.split('.').map(Number) ?? []
    if (major === 3 && minor! >= 10) return python
  }
  return undefined
}

/** The reason why a program doesn't start in a sandbox; undefined where it does. */
async function trial({ enclose }: Enclosure, program: readonly string[]): Promise<string | undefined> {
  const process = startOneShot(enclose(program, undefined, LIMITS.disk).command)
  try {
    await process.ready
    return undefined
  } catch (error) {
    return (error as Error).message
  } finally {
    await process.kill()
  }
}

/** The most closed sandbox that works here, or the reason why none does. */
async function findBubblewrap(program: readonly string[], hidden: readonly string[]): Promise<Bubblewrap | string> {
  const file = BUBBLEWRAPS.find(existsSync)
  if (!file) return `bubblewrap is not installed. ${INSTALL}`
  const uid = process.getuid?.() === 0 ? NOBODY : undefined
  let failure = ''
  for (const disablesUserns of [true, false]) {
    const bubblewrap = { file, disablesUserns, uid, hidden }
    const reason = await trial(enclosedIn(bubblewrap), program)
    if (reason === undefined) return bubblewrap
    failure = reason
  }
  return (
    `bubblewrap can't make a sandbox here: ${failure.slice(0, 300)}. It needs user namespaces: see docs/sandbox.md for ` +
    'containers and for systems that forbid them.'
  )
}

/** Deno, where it runs in this enclosure, and how that is said at the start. */
async function findTypeScript(enclosure: Enclosure): Promise<{ deno?: Deno; note: string }> {
  const deno = findDeno()
  if (!deno) return { note: `no Deno (${INSTALL_DENO})` }
  const reason = await trial(enclosure, denoProgram(deno))
  if (reason === undefined) return { deno, note: `Deno ${deno.version}` }
  return { note: `no Deno (${deno.path} doesn't start in the sandbox: ${reason.slice(0, 300)})` }
}

/** The sandbox of this machine's programs. */
async function openLocal(enclosure: Enclosure, python: Python, settings: SandboxSettings) {
  const { dataDir, packageIndexes, packages = packagesDirectory(enclosure, dataDir) } = settings
  const { deno, note } = await findTypeScript(enclosure)
  const install = createInstaller({
    ...packageIndexes,
    programs: { python: python.path, ...(deno && { typescript: deno.path }) },
    enclose: enclosure.encloseInstaller,
    uid: enclosure.uid,
  })
  const sandbox = createLocalSandbox({
    programs: { python: pythonProgram(python), ...(deno && { typescript: denoProgram(deno) }) },
    enclose: enclosure.enclose,
    packages: createPackages(packages, install),
  })
  return { sandbox, note }
}

/** The machines of E2B where there is an account, or else a refusal with the reason. */
const elsewhere = (
  reason: string,
  e2b: E2BSettings | undefined,
  note = `E2B. On this machine: ${reason}`,
): OpenedSandbox => (e2b ? { kind: 'e2b', note, sandbox: createE2BSandbox(e2b) } : refusing(reason))

/** Finds what runs tools. Refuses rather than running code of users without a sandbox. */
export async function openSandbox(settings: SandboxSettings): Promise<OpenedSandbox> {
  const { mode, dataDir, e2b } = settings
  if (mode === 'off') return refusing('Tools with source code are off on this server (CAIRN_SANDBOX=off).')
  if (mode === 'e2b') return elsewhere('CAIRN_SANDBOX is e2b, which needs E2B_API_KEY.', e2b, 'E2B')
  const python = findPython()
  if (!python) return elsewhere(`There is no Python 3.10 or newer. ${INSTALL}`, e2b)
  if (mode === 'unsafe-local') {
    const { sandbox, note } = await openLocal(unenclosed, python, settings)
    const warning = `none: tools run as this server's user, and may do anything (Python ${python.version}, ${note})`
    return { kind: 'unsafe-local', note: warning, sandbox, encloseService: unenclosed.encloseService }
  }
  const found = await findBubblewrap(pythonProgram(python), [dataDir])
  if (typeof found === 'string') return elsewhere(found, e2b)
  const enclosure = enclosedIn(found)
  const { sandbox, note } = await openLocal(enclosure, python, settings)
  const { encloseService } = enclosure
  return { kind: 'bubblewrap', note: `bubblewrap, Python ${python.version}, ${note}`, sandbox, encloseService }
}

/** The sandbox of a server. */
export interface ServerSandbox extends Sandbox {
  /** What this machine has. */
  opened(): Promise<OpenedSandbox>
  /** The command that runs a program of the operator in the sandbox of this machine. Rejects with a SandboxError without one. */
  encloseService(service: Service): Promise<Command>
}

/** A sandbox that is looked for on this machine when it is first needed. */
export function createSandbox(settings: SandboxSettings): ServerSandbox {
  let found: Promise<OpenedSandbox> | undefined
  const opened = () => {
    found ??= openSandbox(settings)
    return found
  }
  return {
    opened,
    async encloseService(service) {
      const { encloseService, note } = await opened()
      if (!encloseService) throw new SandboxError(`Programs run in a sandbox of this machine, which has none: ${note}`)
      return encloseService(service)
    },
    place: async () => (await opened()).sandbox.place(),
    run: async (call, signal) => (await opened()).sandbox.run(call, signal),
    forgetPackages: async (organizationId) => (await opened()).sandbox.forgetPackages(organizationId),
    close: async () => (await found)?.sandbox.close(),
  }
}
