import { createHash, randomUUID } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ClientConfig } from '../../config.ts'

/** How far an import got. */
export interface ImportState {
  /** Names the requests of the import, so that the server carries out each of them once. */
  id: string
  /** The passages that the server has. */
  done: number
  /** The hash of these passages. */
  digest: string
}

/** The stored state of an import, by what identifies it. */
export function openState({ stateDir }: ClientConfig, ...identity: string[]) {
  const directory = join(stateDir, 'imports')
  const file = join(directory, `${createHash('sha256').update(identity.join('\n')).digest('hex').slice(0, 32)}.json`)
  return {
    /** The state of an import that was interrupted; else that of a new one. */
    read(): ImportState {
      try {
        return JSON.parse(readFileSync(file, 'utf8')) as ImportState
      } catch {
        return { id: randomUUID(), done: 0, digest: '' }
      }
    },
    write(state: ImportState) {
      mkdirSync(directory, { recursive: true, mode: 0o700 })
      writeFileSync(`${file}.new`, JSON.stringify(state), { mode: 0o600, flush: true })
      renameSync(`${file}.new`, file)
    },
    remove: () => rmSync(file, { force: true }),
  }
}
