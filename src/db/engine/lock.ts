import { existsSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { ConfigError } from '../../config.ts'

/** Makes a directory and its parents, for its owner alone. Node's recursive `mkdir` never ends below /proc. */
function makeWithParents(dir: string): void {
  if (existsSync(dir)) return
  makeWithParents(dirname(dir))
  try {
    mkdirSync(dir, { mode: 0o700 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

/** Makes the data directory unless it exists. Throws a ConfigError when the directory cannot be made. */
export function makeDataDirectory(dir: string): void {
  try {
    makeWithParents(dir)
  } catch (error) {
    throw new ConfigError(
      `CAIRN_DATA_DIR cannot be used: ${(error as Error).message}. Set it to a directory this user may write to.`,
    )
  }
}

const unwritable = (dir: string, { message }: Error) =>
  new ConfigError(`CAIRN_DATA_DIR cannot be used: ${dir} is not a directory this user may write to (${message}).`)

function openLock(dir: string): DatabaseSync {
  try {
    return new DatabaseSync(join(dir, 'lock'))
  } catch (error) {
    throw unwritable(dir, error as Error)
  }
}

/**
 * Takes the data directory for this process alone, or throws a ConfigError: two processes would ruin an
 * embedded database.
 * The lock is the operating system's (SQLite takes it on an empty file), so the lock ends with its process, however the
 * process ends: no lock is ever stale, and none can be taken from a live process. Returns the lock's release.
 */
export function lockDirectory(dir: string): () => void {
  makeDataDirectory(dir)
  const file = openLock(dir)
  try {
    file.exec('pragma busy_timeout = 0; pragma journal_mode = delete; begin exclusive')
  } catch (cause) {
    file.close()
    if (!(cause as Error).message.includes('locked')) throw unwritable(dir, cause as Error)
    throw new ConfigError(
      `Another Cairn server is using ${dir}. Stop it first, or give this one a directory of its own with CAIRN_DATA_DIR.`,
    )
  }
  return () => file.close()
}
