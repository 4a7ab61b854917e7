import { createHash, randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createKeyedMutex } from '../lib/keyed-mutex.ts'
import { checkInstalled, MAX_SET_BYTES } from './installed.ts'
import { type Language, type Package, type SandboxCall, SandboxError } from './sandbox.ts'

/** The beginning of the reasons for which packages are not installed. */
export const CANT_INSTALL = "The packages of the tool can't be installed:"

/** Packages that could not be installed: the message has the reason, for the owner of the tool. */
export class PackageError extends SandboxError {}

/** Installs packages of a language in an empty directory. Rejects with a PackageError, and with the reason of `signal`. */
export type Install = (
  language: Language,
  packages: readonly Package[],
  directory: string,
  signal?: AbortSignal,
) => Promise<void>

/** The sets of packages that are installed on this machine. */
export interface Packages {
  /** The directory of a call's packages, installed at their first use. Rejects as `Install`. */
  directoryFor(
    call: Pick<SandboxCall, 'organizationId' | 'language' | 'packages'>,
    signal?: AbortSignal,
  ): Promise<string | undefined>
  /** Removes the sets of an organization. */
  remove(organizationId: string): Promise<void>
}

/** The bytes of an organization's sets: those that were used last stay. */
const MAX_BYTES = 2 * MAX_SET_BYTES

/** The longest time that a call uses its set: a set in use is not removed. */
const IN_USE_MS = 15 * 60_000

const specOf = ({ name, version }: Package) => `${name.toLowerCase()}=${version ?? ''}`

/** Equal sets have equal names, whatever their order. */
const nameOf = (language: Language, packages: readonly Package[]) =>
  createHash('sha256')
    .update(JSON.stringify([language, ...new Set(packages.map(specOf).sort())]))
    .digest('hex')
    .slice(0, 32)

/** Removes the sets that were used longest ago, beyond the bytes of an organization, and what a crash has left. */
async function removeOld(directory: string): Promise<void> {
  const sets = await Promise.all(
    (await readdir(directory)).map(async (name) => {
      const path = join(directory, name)
      const size = Number(await readFile(join(path, 'size'), 'utf8').catch(() => MAX_BYTES))
      return { path, size, usedAt: (await stat(path).catch(() => undefined))?.mtimeMs ?? 0 }
    }),
  )
  let bytes = 0
  for (const { path, size, usedAt } of sets.sort((a, b) => b.usedAt - a.usedAt)) {
    bytes += size
    if (bytes > MAX_BYTES && usedAt < Date.now() - IN_USE_MS) await rm(path, { recursive: true, force: true })
  }
}

/** Creates the sets below `root`. Equal sets of one organization are installed once, however many calls come at once. */
export function createPackages(root: string, install: Install): Packages {
  const mutex = createKeyedMutex()

  async function installNew(directory: string, path: string, call: SandboxCall, signal?: AbortSignal): Promise<void> {
    const fresh = `${path}.${randomUUID()}`
    // Another name each time: processes that wait for calls have the old directory mounted.
    const target = join(fresh, `packages-${randomUUID()}`)
    try {
      await mkdir(target, { recursive: true })
      await install(call.language, call.packages!, target, signal)
      await writeFile(join(fresh, 'size'), String(await checkInstalled(target)))
      // Another server may have made the same set meanwhile.
      await rename(fresh, path).catch((error) => stat(path).catch(() => Promise.reject(error)))
    } catch (error) {
      signal?.throwIfAborted()
      throw error instanceof SandboxError ? error : new PackageError(`${CANT_INSTALL} ${(error as Error).message}`)
    } finally {
      await rm(fresh, { recursive: true, force: true })
    }
    await removeOld(directory)
  }

  return {
    remove: (organizationId) => rm(join(root, organizationId), { recursive: true, force: true }),
    async directoryFor(call, signal) {
      const { organizationId, language, packages = [] } = call
      if (packages.length === 0) return undefined
      const directory = join(root, organizationId)
      const path = join(directory, nameOf(language, packages))
      await mutex(path, async () => {
        const now = new Date()
        await utimes(path, now, now).catch(() => installNew(directory, path, call as SandboxCall, signal))
      })
      return join(path, (await readdir(path)).find((name) => name.startsWith('packages'))!)
    },
  }
}
