import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { ConfigError } from '../config.ts'

/**
 * Takes the data directory for this process alone, or throws: two processes on one embedded database would ruin it.
 * The lock is the operating system's (taken by SQLite on a file that holds nothing), so it ends with its process,
 * however that ends: there is no stale lock, and none can be taken from a live process. Returns its release.
 */
export function lockDirectory(dir: string): () => void {
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  const file = new DatabaseSync(join(dir, 'lock'))
  try {
    file.exec('pragma busy_timeout = 0; pragma journal_mode = delete; begin exclusive')
  } catch (cause) {
    file.close()
    if (!String((cause as Error).message).includes('locked')) throw cause
    throw new ConfigError(
      `Another Cairn server is using ${dir}. Stop it first, or give this one a directory of its own with CAIRN_DATA_DIR.`,
    )
  }
  return () => file.close()
}
