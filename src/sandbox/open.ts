import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { type Bubblewrap, bubblewrapped, NOBODY } from './bubblewrap.ts'
import { createLocalSandbox, type Local } from './local.ts'
import { startOneShot } from './one-shot.ts'
import { LIMITS, type Sandbox, SandboxError } from './sandbox.ts'

export type SandboxMode = 'auto' | 'bubblewrap' | 'unsafe-local' | 'off'

export interface SandboxSettings {
  mode: SandboxMode
  /** Directories that no code may see, wherever they lie. */
  hidden: readonly string[]
}

/** What runs the tools of this server, and how that is said at the start. */
export interface OpenedSandbox {
  sandbox: Sandbox
  kind: 'bubblewrap' | 'unsafe-local' | 'none'
  /** One line for the operator. Of `none`, the reason and the remedy. */
  note: string
}

const PYTHONS = ['/usr/bin/python3', '/usr/local/bin/python3', '/opt/homebrew/bin/python3']
const BUBBLEWRAPS = ['/usr/bin/bwrap', '/usr/local/bin/bwrap', '/run/current-system/sw/bin/bwrap']

const INSTALL = 'Install bubblewrap and Python (Debian, Ubuntu: apt-get install bubblewrap python3).'

/** The harness is an argument: a sandbox sees no file of this server. */
const pythonProgram = (python: string) => [
  python,
  ...['-I', '-S', '-B', '-u', '-c', readFileSync(new URL('./harness.py', import.meta.url), 'utf8')],
]

/** A sandbox that refuses all calls, with the remedy. */
const refusing = (note: string): OpenedSandbox => ({
  kind: 'none',
  note,
  sandbox: { run: () => Promise.reject(new SandboxError(note)), close: async () => {} },
})

/** Python 3.10 or newer. */
function findPython(): { path: string; version: string } | undefined {
  for (const path of PYTHONS.filter(existsSync)) {
    const version = execFileSync(path, ['-I', '-S', '-c', 'import sys; print("%d.%d.%d" % sys.version_info[:3])'], {
      env: {},
      encoding: 'utf8',
      timeout: 20_000,
    }).trim()
    const [major, minor] = version.split('.').map(Number)
    if (major === 3 && minor! >= 10) return { path, version }
  }
  return undefined
}

function enclosedIn(bubblewrap: Bubblewrap): Local['enclose'] {
  return (program, { packages }, disk) => ({
    command: bubblewrapped(bubblewrap, program, { mounts: packages ? { [packages]: '/packages' } : {}, disk }),
    packages: packages && '/packages',
  })
}

/** The reason why a program doesn't start in a sandbox; undefined where it does. */
async function trial(bubblewrap: Bubblewrap, program: readonly string[]): Promise<string | undefined> {
  const process = startOneShot(bubblewrapped(bubblewrap, program, { mounts: {}, disk: LIMITS.disk }))
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
    const reason = await trial(bubblewrap, program)
    if (reason === undefined) return bubblewrap
    failure = reason
  }
  return (
    `bubblewrap can't make a sandbox here: ${failure.slice(0, 300)}. It needs user namespaces: see docs/sandbox.md for ` +
    'containers and for systems that forbid them.'
  )
}

/** Finds what runs tools on this machine. Refuses rather than running code of users without a sandbox. */
export async function openSandbox({ mode, hidden }: SandboxSettings): Promise<OpenedSandbox> {
  if (mode === 'off') return refusing('Tools with source code are off on this server (CAIRN_SANDBOX=off).')
  const python = findPython()
  if (!python) return refusing(`There is no Python 3.10 or newer. ${INSTALL}`)
  const program = pythonProgram(python.path)
  const programs = { python: program }
  if (mode === 'unsafe-local') {
    const enclose: Local['enclose'] = ([file, ...args], { packages }) => ({ command: { file: file!, args }, packages })
    return {
      kind: 'unsafe-local',
      note: `none: tools run as this server's user, and may do anything (Python ${python.version})`,
      sandbox: createLocalSandbox({ programs, enclose }),
    }
  }
  const found = await findBubblewrap(program, hidden)
  if (typeof found === 'string') return refusing(found)
  return {
    kind: 'bubblewrap',
    note: `bubblewrap, Python ${python.version}`,
    sandbox: createLocalSandbox({ programs, enclose: enclosedIn(found) }),
  }
}
