import { existsSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { ConfigError } from '../config.ts'

/** Makes a directory and those above it, for its owner alone. Node's own way of doing both never ends below /proc. */
function makeAll(dir: string): void {
  if (existsSync(dir)) return
  makeAll(dirname(dir))
  try {
    mkdirSync(dir, { mode: 0o700 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

/** Makes the data directory where it isn't there. Throws a ConfigError where it can't be. */
export function makeDataDirectory(dir: string): void {
  try {
    makeAll(dir)
  } catch (error) {
    throw new ConfigError(
      `CAIRN_DATA_DIR cannot be used: ${(error as Error).message}. Set it to a directory this user may write to.`,
    )
  }
}

function openLock(dir: string): DatabaseSync {
  try {
    return new DatabaseSync(join(dir, 'lock'))
  } catch (error) {
    throw new ConfigError(
      `CAIRN_DATA_DIR cannot be used: ${dir} is not a directory this user may write to (${(error as Error).message}).`,
    )
  }
}

/**
 * Takes the data directory for this process alone, or throws: two processes on one embedded database would ruin it.
 * The lock is the operating system's (taken by SQLite on a file that holds nothing), so it ends with its process,
 * however that ends: there is no stale lock, and none can be taken from a live process. Returns its release.
 */
export function lockDirectory(dir: string): () => void {
  makeDataDirectory(dir)
  const file = openLock(dir)
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
