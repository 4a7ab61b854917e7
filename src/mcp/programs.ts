import type { McpProgram, McpPrograms } from '../lib/mcp-programs.ts'
import { SandboxError, type Service } from '../sandbox/sandbox.ts'
import type { Command } from '../sandbox/spawn.ts'
import type { Connection, ProgramAddress } from './connect.ts'
import { McpError } from './mcp-error.ts'
import { type StartedProgram, startProgram } from './stdio.ts'

/** The programs that run at once, and the milliseconds without a call after which one is ended. */
const MAX_RUNNING = 32
const IDLE_MS = 300_000

/** The MCP servers that are programs on this machine. Each organization has processes of its own. */
export interface Programs {
  /** The programs of an organization by their names. */
  of(organizationId: string): readonly (readonly [name: string, program: McpProgram])[]
  /** Connects to a program, which is started unless it runs. Rejects with an McpError, and with the reason of `signal`. */
  connect(address: ProgramAddress, signal: AbortSignal): Promise<Connection>
  /** Ends all programs. */
  close(): Promise<void>
}

export interface ProgramsOptions {
  programs: McpPrograms
  /** The command that runs a program in the sandbox. Rejects with a SandboxError where there is none. */
  enclose(service: Service): Promise<Command>
  /** The version of this server, which it reports to others. */
  version: string
  /** Called with the end of the stderr of a program that has ended by itself. */
  log(name: string, stderr: string): void
}

interface Running {
  started: Promise<StartedProgram>
  /** Rejects the calls under way. */
  users: Set<(error: unknown) => void>
  idle?: NodeJS.Timeout
}

/**
 * Connects a call to a program. `hangs` is called when the only call runs into its time limit, and `rest` when the call is over.
 * Rejects with the end of the program, or the reason of `signal`.
 */
async function callBy(one: Running, signal: AbortSignal, { hangs, rest }: { hangs(): void; rest(): void }) {
  const { promise: ended, reject } = Promise.withResolvers<never>()
  ended.catch(() => {})
  const abort = () => {
    reject(signal.reason)
    // It hangs, as far as anybody can see.
    if (signal.reason?.name === 'TimeoutError' && one.users.size === 1) hangs()
  }
  const close = () => {
    signal.removeEventListener('abort', abort)
    one.users.delete(reject)
    rest()
  }
  clearTimeout(one.idle)
  one.users.add(reject)
  signal.addEventListener('abort', abort, { once: true })
  if (signal.aborted) abort()
  try {
    const { client } = await Promise.race([one.started, ended])
    return { client, ended, close }
  } catch (error) {
    close()
    throw error
  }
}

/** Throws the refusal of a sandbox as that of an MCP server. */
function refuse(error: unknown): never {
  throw error instanceof SandboxError ? new McpError('unreachable', error.message, error) : error
}

/** Creates the programs of a server: none runs yet. */
export function createPrograms({ programs, enclose, version, log }: ProgramsOptions): Programs {
  const running = new Map<string, Running>()
  const stopping = new Set<Promise<unknown>>()
  const of: Programs['of'] = (organizationId) =>
    Object.entries(programs).filter(([, { organizations }]) => organizations?.includes(organizationId) ?? true)

  function stop(key: string): void {
    const one = running.get(key)
    if (!one) return
    running.delete(key)
    clearTimeout(one.idle)
    const stopped = one.started.then((program) => program.stop()).catch(() => {})
    stopping.add(stopped)
    void stopped.then(() => stopping.delete(stopped))
  }

  function makeRoom(): void {
    if (running.size < MAX_RUNNING) return
    const idle = [...running].find(([, { users }]) => users.size === 0)
    if (!idle) throw new McpError('unreachable', `${MAX_RUNNING} programs run already`)
    stop(idle[0])
  }

  async function commandFor({ organizationId, name }: ProgramAddress): Promise<Command> {
    const program = new Map(of(organizationId)).get(name)
    if (!program) throw new McpError('unreachable', 'the settings of this server do not name it')
    return enclose(program).catch(refuse)
  }

  function begin(address: ProgramAddress): Running {
    makeRoom()
    const users: Running['users'] = new Set()
    const end = (error: unknown) => {
      if (running.get(address.key) === one) running.delete(address.key)
      for (const reject of users) reject(error)
    }
    const events = { onEnd: end, log: (stderr: string) => log(address.name, stderr) }
    const started = commandFor(address).then((command) => startProgram({ command, version, ...events }))
    const one: Running = { started, users }
    started.catch(end)
    running.set(address.key, one)
    return one
  }

  return {
    of,
    async connect(address, signal) {
      const { key } = address
      const one = running.get(key) ?? begin(address)
      const rest = () => {
        if (one.users.size === 0 && running.get(key) === one) one.idle = setTimeout(stop, IDLE_MS, key).unref()
      }
      return callBy(one, signal, { hangs: () => stop(key), rest })
    },
    async close() {
      for (const key of [...running.keys()]) stop(key)
      await Promise.all(stopping)
    },
  }
}
