import { lstat, readdir, realpath, rm } from 'node:fs/promises'
import { join, sep } from 'node:path'

/** The most bytes and files of one set of packages. */
export const MAX_SET_BYTES = 1024 * 1024 * 1024
const MAX_FILES = 200_000

/** The bytes of a directory's files. Rejects beyond the limits of a set of packages. */
export async function sizeOf(directory: string): Promise<number> {
  let bytes = 0
  let files = 0
  for (const pending = [directory]; pending.length > 0; ) {
    const path = pending.pop()!
    for (const entry of await readdir(path, { withFileTypes: true }).catch(() => [])) {
      const inner = join(path, entry.name)
      if (entry.isDirectory()) pending.push(inner)
      else bytes += (await lstat(inner).catch(() => undefined))?.size ?? 0
      if (++files > MAX_FILES || bytes > MAX_SET_BYTES)
        throw new Error('The packages take more than 1 GB or 200,000 files.')
    }
  }
  return bytes
}

/** Removes symbolic links that lead out of the directory, and returns the bytes of its files. Rejects beyond the limits. */
export async function checkInstalled(directory: string): Promise<number> {
  const root = await realpath(directory)
  const entries = await readdir(root, { withFileTypes: true, recursive: true })
  for (const entry of entries.filter((one) => one.isSymbolicLink())) {
    const link = join(entry.parentPath, entry.name)
    const target = await realpath(link).catch(() => '')
    if (!target.startsWith(root + sep)) await rm(link, { force: true })
  }
  return sizeOf(root)
}
