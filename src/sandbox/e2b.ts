import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import type { CommandExitError, Sandbox as Machine } from 'e2b'
import { jobOf, resultOf } from './job.ts'
import { parseResult } from './one-shot.ts'
import { CANT_INSTALL, PackageError } from './packages.ts'
import {
  type Language,
  LIMITS,
  type Package,
  type Sandbox,
  type SandboxCall,
  SandboxError,
  type SandboxLimits,
  type SandboxResult,
} from './sandbox.ts'

/** The account at E2B, and its addresses where they aren't the usual ones. */
export interface E2BSettings {
  apiKey: string
  template?: string | undefined
  apiUrl?: string | undefined
  sandboxUrl?: string | undefined
}

export const INSTALL_E2B = 'e2b@2.51.0. docs/tool-packages.md says how to add it.'

const ROOT = '/tmp/cairn'
const INSTALL_MS = 300_000
const START_MS = 60_000

const own = (name: string) => readFileSync(new URL(name, import.meta.url), 'utf8')

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

interface Program {
  harness(): string
  command: string
  /** The code of a call, as the program reads it. Throws for code that can't be parsed. */
  code(source: string): string
  install(packages: readonly Package[]): string
}

const specs = (packages: readonly Package[], separator: string) =>
  packages.map(({ name, version }) => quoted(version ? `${name}${separator}${version}` : name)).join(' ')

/** The programs of the machines: each has Python and Node. */
const PROGRAMS: Readonly<Record<Language, Program>> = {
  python: {
    harness: () => own('./harness.py'),
    command: 'python3 -I -B -u',
    code: (source) => source,
    install: (packages) =>
      `python3 -m pip install --quiet --only-binary :all: --target ${ROOT}/packages -- ${specs(packages, '==')}`,
  },
  typescript: {
    harness: () => stripTypeScriptTypes(own('./harness.ts')),
    command: 'node',
    code: (source) => stripTypeScriptTypes(source, { mode: 'transform' }),
    install: (packages) => `npm install --silent --ignore-scripts --prefix ${ROOT}/packages -- ${specs(packages, '@')}`,
  },
}

/** Loads the package of E2B, which few servers need. Throws a SandboxError with the command that installs it. */
async function load() {
  try {
    return (await import('e2b')).Sandbox
  } catch {
    throw new SandboxError(`Tools run at E2B (E2B_API_KEY), and its package is missing: ${INSTALL_E2B}`)
  }
}

const isExit = (error: unknown): error is CommandExitError => (error as Error).name === 'CommandExitError'

async function installPackages(machine: Machine, command: string): Promise<void> {
  try {
    await machine.commands.run(command, { timeoutMs: INSTALL_MS })
  } catch (error) {
    const reason = isExit(error) ? `${error.stdout}${error.stderr}`.trim().slice(-2_000) : (error as Error).message
    throw new PackageError(`${CANT_INSTALL} ${reason}`)
  }
}

/** The code of a call as its program reads it, or the error of a source that can't be parsed. */
function parse(call: SandboxCall, limits: SandboxLimits): string | SandboxResult {
  try {
    return PROGRAMS[call.language].code(call.code)
  } catch (error) {
    const { name: type, message } = error as Error
    const result = { status: 'error', error: { type, message, traceback: '' } }
    return resultOf({ end: 'result', result, stdout: '', stderr: '' }, call, limits)
  }
}

/** Runs a call on a machine that serves this call alone. */
async function runOn(machine: Machine, call: SandboxCall, code: string, limits: SandboxLimits) {
  const program = PROGRAMS[call.language]
  const nonce = randomUUID()
  const paths = call.packages?.length ? [`${ROOT}/packages`] : []
  const job = { ...jobOf(call, limits, paths), nonce, code, file: 'tool.mjs' }
  const names = {
    driver: `${ROOT}/driver.py`,
    harness: `${ROOT}/harness.mjs`,
    job: `${ROOT}/job`,
    result: `${ROOT}/result`,
  }
  await machine.files.write([
    { path: names.driver, data: own('./driver.py') },
    { path: names.harness, data: program.harness() },
    { path: names.job, data: JSON.stringify(job) },
  ])
  if (paths.length > 0) await installPackages(machine, program.install(call.packages!))
  const command = `python3 ${names.driver} ${names.job} ${names.result} ${program.command} ${names.harness}`
  try {
    const { stdout, stderr } = await machine.commands.run(command, { timeoutMs: limits.timeMs })
    const line = await machine.files.read(names.result)
    const outcome = line === '' ? ({ end: 'exit' } as const) : parseResult(line, nonce)
    return resultOf({ ...outcome, stdout, stderr }, call, limits)
  } catch (error) {
    const end = (error as Error).name === 'TimeoutError' ? 'time' : 'exit'
    const { stdout = '', stderr = '' } = isExit(error) ? error : {}
    if (end === 'exit' && !isExit(error)) throw error
    return resultOf({ end, stdout, stderr }, call, limits)
  }
}

/** A sandbox of machines at E2B: each call has one of its own. */
export const createE2BSandbox = ({ apiKey, template = 'base', apiUrl, sandboxUrl }: E2BSettings): Sandbox => ({
  async run(call, signal) {
    signal?.throwIfAborted()
    const E2B = await load()
    const limits = { ...LIMITS, ...call.limits }
    const code = parse(call, limits)
    if (typeof code !== 'string') return code
    const options = { apiKey, ...(apiUrl && { apiUrl }), ...(sandboxUrl && { sandboxUrl }) }
    const cancelled = Promise.withResolvers<never>()
    const abort = () => cancelled.reject(signal!.reason)
    cancelled.promise.catch(() => {})
    signal?.addEventListener('abort', abort, { once: true })
    if (signal?.aborted) abort()
    let machine: Machine | undefined
    try {
      // The machine ends by itself where this server can't end it.
      machine = await E2B.create(template, { ...options, timeoutMs: limits.timeMs + INSTALL_MS + START_MS })
      return await Promise.race([runOn(machine, call, code, limits), cancelled.promise])
    } catch (error) {
      if (signal?.aborted) throw signal.reason
      if (error instanceof SandboxError) throw error
      throw new SandboxError(`E2B failed: ${(error as Error).message}`)
    } finally {
      signal?.removeEventListener('abort', abort)
      await machine?.kill().catch(() => {})
    }
  },
  place: async () => 'e2b',
  forgetPackages: async () => {},
  close: async () => {},
})
