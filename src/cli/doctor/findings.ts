import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { type Config, ConfigError, readConfig } from '../../config.ts'
import { type Database, openDatabase } from '../../db/engine/database.ts'
import { diskOf } from '../../lib/disk.ts'
import { createSandbox } from '../../sandbox/open.ts'
import { version } from '../version.ts'

/** A line of the report. */
export interface Finding {
  name: string
  text: string
  isProblem?: boolean
}

/** Seconds that the clock of this machine may differ from that of the database. */
const MAX_SKEW = 5

/** Background work that has failed. A database that no server has opened yet has none. */
async function checkJobs({ kysely }: Database): Promise<Finding[]> {
  const { rows } = await sql`select from pg_tables where schemaname = 'jobs' and tablename = 'job'`.execute(kysely)
  if (rows.length === 0) return []
  const failed = await sql<{ count: number }>`select count(*) as count from jobs.job where state = 'failed'`.execute(
    kysely,
  )
  const { count } = failed.rows[0]!
  if (count === 0) return []
  return [{ name: 'Jobs', text: `${count} failed within a day: see Failed jobs in the console`, isProblem: true }]
}

/** The extensions that Cairn uses, and the clock of the database. */
async function checkInside(database: Database): Promise<Finding[]> {
  const { kysely } = database
  const { rows } = await sql<{ names: string[]; now: string }>`select clock_timestamp() as now, array(
    select name::text from pg_available_extensions where name in ('vector', 'pg_trgm')) as names`.execute(kysely)
  const { names, now } = rows[0]!
  const missing = ['vector', 'pg_trgm'].filter((name) => !names.includes(name))
  const skew = Math.abs(Date.now() - new Date(now).getTime()) / 1000
  const clock = `${skew.toFixed(1)} s from that of the database`
  return [
    missing.length === 0
      ? { name: 'Extensions', text: 'vector, pg_trgm' }
      : { name: 'Extensions', text: `install ${missing.join(', ')} on the PostgreSQL server`, isProblem: true },
    skew <= MAX_SKEW
      ? { name: 'Clock', text: clock }
      : { name: 'Clock', text: `${clock}: synchronize both with NTP`, isProblem: true },
    ...(await checkJobs(database)),
  ]
}

async function checkDatabase(config: Config): Promise<Finding[]> {
  const name = 'Database'
  if (!config.databaseUrl && !existsSync(config.dataDir)) {
    return [{ name, text: `embedded: the first start makes it in ${config.dataDir}` }]
  }
  try {
    const database = await openDatabase(config)
    try {
      const { rows } = await sql<{ version: string }>`select version()`.execute(database.kysely)
      const text = `${database.engine}, ${rows[0]!.version.split(' ').slice(0, 2).join(' ')}`
      return [{ name, text }, ...(await checkInside(database))]
    } finally {
      await database.close()
    }
  } catch (error) {
    const remedy = config.databaseUrl ? ': check DATABASE_URL, and the PostgreSQL server that it names' : ''
    return [{ name, text: `${(error as Error).message}${remedy}`, isProblem: true }]
  }
}

function checkKey({ encryptionKey, dataDir }: Config): Finding {
  const file = join(dataDir, 'encryption.key')
  const text = encryptionKey
    ? 'CAIRN_ENCRYPTION_KEY'
    : existsSync(file)
      ? `${file}: store a copy elsewhere`
      : `none yet: the first start makes ${file}`
  return { name: 'Key', text }
}

const GB = 1024 ** 3

function checkDisk({ dataDir }: Config): Finding {
  const { directory, free_bytes: free } = diskOf(dataDir)
  const text = `${(free / GB).toFixed(1)} GB free at ${directory}`
  if (free >= GB) return { name: 'Disk', text }
  return { name: 'Disk', text: `${text}: free 1 GB, or set CAIRN_DATA_DIR to a larger disk`, isProblem: true }
}

async function checkSandbox(config: Config): Promise<Finding> {
  const sandbox = createSandbox({ ...config, mode: config.sandbox })
  const { kind, note } = await sandbox.opened()
  await sandbox.close()
  return { name: 'Sandbox', text: note, isProblem: kind !== 'bubblewrap' }
}

function checkProviders({ providers, defaultModel }: Config): Finding {
  const names = providers.map(({ name }) => name).join(', ')
  const none = 'none in the settings: set OPENAI_API_KEY or the like, or add providers over the API'
  return { name: 'Providers', text: `${names || none}. New agents use ${defaultModel}` }
}

/** The settings; the finding where one is invalid. */
function readSettings(): Config | Finding {
  try {
    return readConfig()
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return { name: 'Settings', text: error.message, isProblem: true }
  }
}

/** What a server would find on this machine, in the order of the report. Changes nothing. */
export async function findAll(): Promise<Finding[]> {
  const program: Finding = { name: 'Cairn', text: `${version}, Node ${process.versions.node}` }
  const config = readSettings()
  if (!('dataDir' in config)) return [program, config]
  return [
    program,
    ...(await checkDatabase(config)),
    checkKey(config),
    checkDisk(config),
    checkProviders(config),
    await checkSandbox(config),
  ]
}
