import { randomBytes } from 'node:crypto'
import type { Config } from '../config.ts'
import { type Database, openDatabase } from '../db/engine/database.ts'
import { indexSearches, migrate } from '../db/engine/migrate.ts'
import { type Cipher, createCipher } from '../lib/cipher.ts'
import { checkKey, fingerprintIn, readKeyFile } from './encryption-key.ts'

/** Opens the database of the settings, migrates it, and creates the cipher of its secrets. `engine`: as of `serve`. */
export async function openStorage(
  config: Config,
  engine?: WebAssembly.Module,
): Promise<{ database: Database; cipher: Cipher; trigrams: boolean }> {
  const database = await openDatabase(config, { engine })
  try {
    await migrate(database)
    const trigrams = await indexSearches(database)
    const secret =
      config.encryptionKey ??
      (config.databaseUrl === 'memory:'
        ? randomBytes(32).toString('hex')
        : readKeyFile(config.dataDir, (await fingerprintIn(database)) === undefined))
    const cipher = createCipher(secret)
    await checkKey(database, cipher)
    return { database, cipher, trigrams }
  } catch (error) {
    await database.close()
    throw error
  }
}
