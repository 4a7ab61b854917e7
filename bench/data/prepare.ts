import { randomBytes } from 'node:crypto'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { readConfig } from '../../src/config.ts'
import { openDatabase } from '../../src/db/engine/database.ts'
import type { DriverTarget } from '../processes/driver.ts'
import { type Filled, fill, type Size } from './fill.ts'

/** A filled database, ready for the server and for the bare driver. */
export interface Prepared extends Filled {
  engine: 'embedded' | 'postgres'
  directory: string
  /** The server's environment. */
  settings: Record<string, string>
  /** The bare driver's database: the same PostgreSQL database, or a copy of the embedded one. */
  driver: DriverTarget
}

/** Creates a database of the benchmark's own on a PostgreSQL server; `cleanup` drops it. */
async function createDatabase(serverUrl: string, cleanup: AsyncDisposableStack): Promise<string> {
  const name = `cairn_bench_${randomBytes(4).toString('hex')}`
  const run = async (statement: string) => {
    const client = new pg.Client(serverUrl)
    await client.connect()
    await client.query(statement).finally(() => client.end())
  }
  await run(`create database ${name}`)
  cleanup.defer(() => run(`drop database ${name} with (force)`))
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return url.href
}

/**
 * Creates the database and its data: `agents` and `passages` in the measured organization, and a tenth of the agents in
 * another. `cleanup` removes everything outside this process.
 */
export async function prepare(
  { databaseUrl: serverUrl, ...size }: Size & { databaseUrl: string | undefined },
  cleanup: AsyncDisposableStack,
  onProgress: (text: string) => void,
): Promise<Prepared> {
  onProgress('creating the database')
  const directory = await mkdtemp(join(tmpdir(), 'cairn-bench-'))
  cleanup.defer(() => rm(directory, { recursive: true, force: true }))
  const databaseUrl = serverUrl && (await createDatabase(serverUrl, cleanup))
  const dataDir = join(directory, 'server')
  const settings = {
    CAIRN_DATA_DIR: dataDir,
    DATABASE_URL: databaseUrl ?? '',
    CAIRN_ENCRYPTION_KEY: randomBytes(32).toString('hex'),
  }
  const config = readConfig(settings)
  const database = await openDatabase(config)
  const filled = await fill(database, config, size, onProgress).finally(() => database.close())
  const driver = { databaseUrl, dataDir: join(directory, 'driver'), poolSize: config.poolSize }
  if (!databaseUrl) await cp(join(dataDir, 'database'), join(driver.dataDir, 'database'), { recursive: true })
  return { engine: database.engine, directory, settings, driver, ...filled }
}
