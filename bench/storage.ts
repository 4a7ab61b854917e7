import { randomBytes } from 'node:crypto'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import pg from 'pg'
import { pino } from 'pino'
import { buildApp } from '../src/app.ts'
import { bootstrap } from '../src/cli/bootstrap.ts'
import { type Config, readConfig } from '../src/config.ts'
import { type Database, openDatabase } from '../src/db/database.ts'
import { openJobs } from '../src/db/jobs.ts'
import { indexSearches, migrate } from '../src/db/migrate.ts'
import type { App } from '../src/http/server.ts'
import { createCipher } from '../src/lib/cipher.ts'
import { capture, type Plan } from './capture.ts'
import { addData } from './data.ts'
import { type Compared, findOperations, nthUpdate, type Operation, type Tenant } from './operations.ts'
import { addPassages, batchCall, hasBatch, measureRecall, type Recall, searchCall } from './passages.ts'
import type { Owner } from './rows.ts'

/** An operation, the SQL the server sends for it, and the body it answers. */
export interface Measurable extends Operation {
  plan: Plan
  /** The ids in the plan that each run has to replace by new ones. */
  made: string[]
  body: string
}

/** A filled database, ready for the server and, beside it, for the bare driver. */
export interface Prepared {
  engine: 'embedded' | 'postgres'
  directory: string
  key: string
  /** The server's environment. */
  settings: Record<string, string>
  /** What the bare driver opens: the same PostgreSQL database, or a copy of the embedded one. */
  driver: { databaseUrl: string | undefined; dataDir: string; poolSize: number }
  operations: Measurable[]
  compared: Compared
  /** Of the search of passages, if there are any. */
  recall: Recall | undefined
}

/** A database of the benchmark's own on a PostgreSQL server, dropped by `cleanup`. */
async function createDatabase(url: string, cleanup: AsyncDisposableStack): Promise<string> {
  const name = `cairn_bench_${randomBytes(4).toString('hex')}`
  const run = async (statement: string) => {
    const client = new pg.Client(url)
    await client.connect()
    await client.query(statement).finally(() => client.end())
  }
  await run(`create database ${name}`)
  cleanup.defer(() => run(`drop database ${name} with (force)`))
  const target = new URL(url)
  target.pathname = `/${name}`
  return target.href
}

/** Makes, by the API, the organization that isn't measured; gives the owners of both, and the other's key. */
async function makeOwners(app: App, key: string): Promise<[Owner & Tenant, Owner & Tenant]> {
  const call = async (method: 'GET' | 'POST', url: string, payload?: object) => {
    const reply = await app.inject({
      method,
      url,
      headers: { authorization: `Bearer ${key}` },
      ...(payload && { payload }),
    })
    if (reply.statusCode !== 200) throw new Error(`${method} ${url} answered ${reply.statusCode}: ${reply.body}`)
    return reply.json()
  }
  const [home] = await call('GET', '/v1/admin/orgs/')
  const [admin] = await call('GET', '/v1/admin/users/')
  const other = await call('POST', '/v1/admin/orgs/', { name: 'Other' })
  const user = await call('POST', '/v1/admin/users/', { name: 'Other', organization_id: other.id })
  const made = await call('POST', '/v1/api-keys/', { name: 'Other', user_id: user.id, scopes: ['read', 'write'] })
  return [
    { organizationId: home.id, userId: admin.id, key },
    { organizationId: other.id, userId: user.id, key: made.key },
  ]
}

/** An archive with the built-in embedding model. */
async function makeArchive(app: App, key: string): Promise<string> {
  const reply = await app.inject({
    method: 'POST',
    url: '/v1/archives/',
    headers: { authorization: `Bearer ${key}` },
    payload: { name: 'Made', embedding: 'cairn/lexical' },
  })
  return reply.json().id
}

/** Fills an empty database, and records what is to be measured on it. */
async function fill(
  database: Database,
  config: Config,
  { agents, passages }: { agents: number; passages: number },
  onProgress: (text: string) => void,
): Promise<Pick<Prepared, 'key' | 'operations' | 'compared' | 'recall'>> {
  const cipher = createCipher(config.encryptionKey!)
  await migrate(database)
  const key = (await bootstrap({ database, cipher }, undefined))!
  const logger = pino({ level: 'silent' })
  const app = await buildApp({ config, database, cipher, jobs: await openJobs(database), logger, version: 'bench' })
  const [owner, other] = await makeOwners(app, key)
  const few = { agents: Math.floor(agents / 10), archives: 100, folders: 100, groups: 10, identities: 100 }
  await addData({ database, cipher }, other, few)
  const many = { agents, archives: 1_000, folders: 1_000, groups: 100, identities: 1_000 }
  await addData({ database, cipher }, owner, many, (made) => onProgress(`making agents: ${made} of ${agents}`))
  const knowledge = passages > 0 ? await addPassages(database, owner.organizationId, passages, onProgress) : undefined
  onProgress('making indexes and statistics')
  // Built after the rows are there, the indexes of the searches take a fraction of the time.
  await indexSearches(database)
  await sql`vacuum analyze`.execute(database.kysely)

  const { measured, ...others } = await findOperations(database, owner, other, agents)
  const operations: Measurable[] = []
  for (const operation of measured) {
    const { call, blocks } = operation
    const before = blocks ? { ...call, ...nthUpdate(blocks, 'before', 0) } : call
    operations.push({ ...operation, ...(await capture(app, operation.key ?? key, call, before)) })
  }
  let recall: Recall | undefined
  if (knowledge) {
    recall = await measureRecall({ app, database, key, organizationId: owner.organizationId }, knowledge, onProgress)
    const call = searchCall(knowledge)
    operations.push({ name: 'search_passages', call, ...(await capture(app, key, call, searchCall(knowledge))) })
    if (hasBatch(app)) {
      const into = await makeArchive(app, other.key)
      const batch = () => batchCall({ ...knowledge, archive: into })
      const made = batch()
      const taken = await capture(app, other.key, made, batch())
      operations.push({ name: 'insert_passages', call: made, key: other.key, ...taken })
    }
  }
  await app.close()
  return { key, operations, recall, ...others }
}

/**
 * Makes the database and its data: `agents` and `passages` in the organization that is measured, and a tenth of the
 * agents in another.
 * Everything it makes outside this process is undone by `cleanup`.
 */
export async function prepare(
  options: { agents: number; passages: number; databaseUrl: string | undefined },
  cleanup: AsyncDisposableStack,
  onProgress: (text: string) => void,
): Promise<Prepared> {
  onProgress('making the database')
  const directory = await mkdtemp(join(tmpdir(), 'cairn-bench-'))
  cleanup.defer(() => rm(directory, { recursive: true, force: true }))
  const databaseUrl = options.databaseUrl && (await createDatabase(options.databaseUrl, cleanup))
  const dataDir = join(directory, 'server')
  const settings = {
    CAIRN_DATA_DIR: dataDir,
    DATABASE_URL: databaseUrl ?? '',
    CAIRN_ENCRYPTION_KEY: randomBytes(32).toString('hex'),
  }
  const config = readConfig(settings)
  const database = await openDatabase(config)
  const filled = await fill(database, config, options, onProgress).finally(() => database.close())
  const driver = { databaseUrl, dataDir: join(directory, 'driver'), poolSize: config.poolSize }
  if (!databaseUrl) await cp(join(dataDir, 'database'), join(driver.dataDir, 'database'), { recursive: true })
  return { engine: database.engine, directory, settings, driver, ...filled }
}
