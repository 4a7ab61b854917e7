import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { type Config, ConfigError } from '../config.ts'
import { type Database, openDatabase } from '../db/database.ts'
import { indexSearches, migrate } from '../db/migrate.ts'
import { type Cipher, createCipher } from '../lib/cipher.ts'

/** The key file's content, made at first start. Only its owner can read it. */
function keyFrom(dataDir: string): string {
  const file = join(dataDir, 'encryption.key')
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  try {
    writeFileSync(file, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600, flag: 'wx', flush: true })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  return readFileSync(file, 'utf8').trim()
}

/** Refuses a key other than the one the database's secrets were written under: they would be lost to it. */
async function checkKey(database: Database, cipher: Cipher): Promise<void> {
  await sql`insert into settings (name, value) values ('encryption_key', ${JSON.stringify(cipher.fingerprint)})
    on conflict do nothing`.execute(database.kysely)
  const { rows } = await sql<{ value: string }>`
    select value from settings where name = 'encryption_key'`.execute(database.kysely)
  if (rows[0]?.value !== cipher.fingerprint) {
    throw new ConfigError(
      "The encryption key is not the one this database's secrets were written under. Set CAIRN_ENCRYPTION_KEY to that " +
        'key, or put its file back as encryption.key in the data directory.',
    )
  }
}

/** Opens what the settings name, ready to serve: the database with its schema up to date, and the cipher of its secrets. */
export async function openStorage(config: Config): Promise<{ database: Database; cipher: Cipher; trigrams: boolean }> {
  const database = await openDatabase(config)
  try {
    await migrate(database)
    const trigrams = await indexSearches(database)
    const secret =
      config.encryptionKey ??
      (config.databaseUrl === 'memory:' ? randomBytes(32).toString('hex') : keyFrom(config.dataDir))
    const cipher = createCipher(secret)
    await checkKey(database, cipher)
    return { database, cipher, trigrams }
  } catch (error) {
    await database.close()
    throw error
  }
}
