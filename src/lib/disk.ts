import { existsSync, statfsSync } from 'node:fs'
import { dirname } from 'node:path'

/** The disk of a directory, in bytes; of a directory that isn't there yet, the nearest one above it. */
export function diskOf(directory: string): { directory: string; free_bytes: number; total_bytes: number } {
  if (!existsSync(directory)) return diskOf(dirname(directory))
  const { bavail, blocks, bsize } = statfsSync(directory)
  return { directory, free_bytes: bavail * bsize, total_bytes: blocks * bsize }
}
