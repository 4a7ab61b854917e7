import { existsSync, statfsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { sql } from 'kysely'
import { type Config, readConfig } from '../../config.ts'
import { openDatabase } from '../../db/engine/database.ts'
import { createSandbox } from '../../sandbox/open.ts'
import { version } from '../version.ts'

/** A line of the report. */
export interface Finding {
  name: string
  text: string
  isProblem?: boolean
}

async function checkDatabase(config: Config): Promise<Finding> {
  const name = 'Database'
  if (!config.databaseUrl && !existsSync(config.dataDir)) {
    return { name, text: `embedded: the first start makes it in ${config.dataDir}` }
  }
  try {
    const database = await openDatabase(config)
    try {
      const { rows } = await sql<{ version: string }>`select version()`.execute(database.kysely)
      return { name, text: `${database.engine}, ${rows[0]!.version.split(' ').slice(0, 2).join(' ')}` }
    } finally {
      await database.close()
    }
  } catch (error) {
    return { name, text: (error as Error).message, isProblem: true }
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
  let directory = dataDir
  while (!existsSync(directory)) directory = dirname(directory)
  const { bavail, bsize } = statfsSync(directory)
  const free = bavail * bsize
  return { name: 'Disk', text: `${(free / GB).toFixed(1)} GB free at ${directory}`, isProblem: free < GB }
}

async function checkSandbox(config: Config): Promise<Finding> {
  const sandbox = createSandbox({ ...config, mode: config.sandbox })
  const { kind, note } = await sandbox.opened()
  await sandbox.close()
  return { name: 'Sandbox', text: note, isProblem: kind !== 'bubblewrap' }
}

/** What a server would find on this machine, in the order of the report. Changes nothing. */
export async function findAll(): Promise<Finding[]> {
  const config = readConfig()
  return [
    { name: 'Cairn', text: `${version}, Node ${process.versions.node}` },
    await checkDatabase(config),
    checkKey(config),
    checkDisk(config),
    await checkSandbox(config),
  ]
}
