import { createKeyedSemaphore } from '../lib/keyed-semaphore.ts'
import { createSemaphore } from '../lib/semaphore.ts'
import { INSTALL_DENO } from './deno.ts'
import { jobOf, resultOf } from './job.ts'
import type { Packages } from './packages.ts'
import { createPool } from './pool.ts'
import { type Language, LIMITS, type Sandbox, type SandboxCall, SandboxError } from './sandbox.ts'
import type { Command } from './spawn.ts'

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
    const job = jobOf(call, limits, packages === undefined ? [] : [packages])
    return resultOf(await process.run(job, limits, signal), call, limits)
  }

  return {
    place: async () => 'local',
    forgetPackages: sets.remove,
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
