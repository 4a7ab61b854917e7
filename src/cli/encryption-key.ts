import { randomBytes } from 'node:crypto'
import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { ConfigError } from '../config.ts'
import type { Database } from '../db/engine/database.ts'
import { makeDataDirectory } from '../db/engine/lock.ts'
import type { Cipher } from '../lib/cipher.ts'

const KEY_LOST =
  "The encryption key is not the one this database's secrets were written under. Set CAIRN_ENCRYPTION_KEY to that key, " +
  'or put its file back as encryption.key in the data directory.'

/** The fingerprint of the key that encrypts the database's secrets; undefined for a new database. */
export async function fingerprintIn(database: Database): Promise<string | undefined> {
  const { rows } = await sql<{ value: string }>`
    select value from settings where name = 'encryption_key'`.execute(database.kysely)
  return rows[0]?.value
}

/** Reads the key file. `create`: a missing one is created first, atomically and readable only by its owner. */
export function readKeyFile(dataDir: string, create: boolean): string {
  const file = join(dataDir, 'encryption.key')
  if (create) {
    makeDataDirectory(dataDir)
    const draft = `${file}.${process.pid}`
    writeFileSync(draft, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600, flush: true })
    try {
      // Linking is atomic: where several servers start at once, one creates the file.
      linkSync(draft, file)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    } finally {
      rmSync(draft)
    }
  }
  if (!existsSync(file)) throw new ConfigError(KEY_LOST)
  const key = readFileSync(file, 'utf8').trim()
  if (key === '') throw new ConfigError(`${file} is empty. Put the key back; if there never was one, delete the file.`)
  return key
}

/** Throws a ConfigError unless the key is the one that encrypted the database's secrets. */
export async function checkKey(database: Database, cipher: Cipher): Promise<void> {
  await sql`insert into settings (name, value) values ('encryption_key', ${JSON.stringify(cipher.fingerprint)})
    on conflict do nothing`.execute(database.kysely)
  if ((await fingerprintIn(database)) !== cipher.fingerprint) throw new ConfigError(KEY_LOST)
}
