import { Type } from 'typebox'
import { Check } from 'typebox/value'
import { createKeyedSemaphore } from '../lib/keyed-semaphore.ts'
import { createSemaphore } from '../lib/semaphore.ts'
import { INSTALL_DENO } from './deno.ts'
import type { Command, JobEnd } from './one-shot.ts'
import type { Packages } from './packages.ts'
import { createPool } from './pool.ts'
import {
  type Language,
  LIMITS,
  MAX_RESULT,
  type Sandbox,
  type SandboxCall,
  SandboxError,
  type SandboxLimits,
  type SandboxResult,
} from './sandbox.ts'

/** Programs on this machine that run code. */
export interface Local {
  /** The program of each language, with its arguments. It speaks the protocol of harness.py. */
  programs: Readonly<Partial<Record<Language, readonly string[]>>>
  /** The command of a program for calls with these packages, and the path under which they are seen. */
  enclose(program: readonly string[], packages: string | undefined, disk: number): Enclosed
  packages: Packages
}

export interface Enclosed {
  command: Command
  packages: string | undefined
}

/** The calls that run at once: of one organization, and of all. */
const PER_ORGANIZATION = 8
const IN_ALL = 32

/** Room beside the memory of a call for addresses that are reserved and not used. */
const SPARE = 256 * 1024 * 1024

/** What the harness of a language writes. */
const Result = Type.Union([
  Type.Object({
    status: Type.Literal('success'),
    text: Type.String(),
    value: Type.Unknown(),
    memory: Type.Optional(Type.Record(Type.String(), Type.String())),
  }),
  Type.Object({
    status: Type.Literal('error'),
    error: Type.Object({ type: Type.String(), message: Type.String(), traceback: Type.String() }),
  }),
])

const seconds = (ms: number) => `${ms / 1000} seconds`
const megabytes = (bytes: number) => `${Math.round(bytes / 1024 / 1024)} MB`

/** The reason why a call has no result. */
function reasonOf(end: JobEnd['end'], { timeMs, memory }: SandboxLimits): string {
  if (end === 'time') return `TimeoutError: it took more than ${seconds(timeMs)}, and was ended.`
  if (end === 'memory') return `MemoryError: it took more than ${megabytes(memory)} of memory, and was ended.`
  if (end === 'flood') return `it wrote too much, or returned more than ${megabytes(MAX_RESULT)}, and was ended.`
  if (end === 'exit') return 'it ended without a return.'
  return 'it wrote to the descriptor of results, and was ended.'
}

function resultOf(end: JobEnd, { name }: SandboxCall, limits: SandboxLimits): SandboxResult {
  const { stdout, stderr } = end
  const failed = (reason: string, traceback = '') => {
    const text = `Error executing ${name ? `function ${name}` : 'the code'}: ${reason}`
    return { status: 'error' as const, value: null, text, stdout, stderr: stderr + (traceback || text), memory: {} }
  }
  if (end.end !== 'result') return failed(reasonOf(end.end, limits))
  if (!Check(Result, end.result)) return failed(reasonOf('forged', limits))
  if (end.result.status === 'success') return { memory: {}, ...end.result, stdout, stderr }
  const { type, message, traceback } = end.result.error
  return failed(`${type}: ${message}`, traceback)
}

/** A sandbox of programs on this machine. */
export function createLocalSandbox({ programs, enclose, packages: sets }: Local): Sandbox {
  const pool = createPool()
  const inAll = createSemaphore(IN_ALL)
  const ofOrganization = createKeyedSemaphore(PER_ORGANIZATION)

  async function runNow(call: SandboxCall, program: readonly string[], directory?: string, signal?: AbortSignal) {
    signal?.throwIfAborted()
    const limits = { ...LIMITS, ...call.limits }
    const { command, packages } = enclose(program, directory, limits.disk)
    const process = await pool.take(command)
    const job = {
      code: call.code,
      name: call.name,
      args: call.args,
      parameters: call.parameters,
      env: call.env,
      paths: packages === undefined ? [] : [packages],
      agent_state: call.agentState,
      limits: { address_space: limits.memory + SPARE, disk: limits.disk, processes: limits.processes },
    }
    return resultOf(await process.run(job, limits, signal), call, limits)
  }

  return {
    async run(call, signal) {
      const program = programs[call.language]
      if (!program) throw new SandboxError(`This server has no program for code in ${call.language}. ${INSTALL_DENO}`)
      return ofOrganization(call.organizationId, async () => {
        // An installation holds up no call of another organization.
        const directory = await sets.directoryFor(call, signal)
        return inAll(() => runNow(call, program, directory, signal))
      })
    },
    close: pool.close,
  }
}
