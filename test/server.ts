import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { sql } from 'kysely'
import pg from 'pg'
import { pino } from 'pino'
import { afterAll, beforeAll, inject } from 'vitest'
import { buildApp } from '../src/app.ts'
import { bootstrap } from '../src/cli/bootstrap.ts'
import { readConfig } from '../src/config.ts'
import { compileEngine } from '../src/db/engine/compile-engine.ts'
import { type Database, openDatabase } from '../src/db/engine/database.ts'
import { type Jobs, openJobs } from '../src/db/jobs.ts'
import { createScope, type Scope } from '../src/db/scope.ts'
import type { App } from '../src/http/server.ts'
import { createCipher } from '../src/lib/cipher.ts'
import { FULL } from '../src/lib/permissions.ts'
import type { Deps } from '../src/services.ts'
import { checkReplies } from './replies.ts'

export interface Reply<T> {
  status: number
  headers: Record<string, string | undefined>
  body: T
}

const SETTINGS = { dataDir: tmpdir(), poolSize: 10 }

let compiled: WebAssembly.Module | undefined

/** The embedded engine, compiled once for all test files of a worker. */
function engine(): WebAssembly.Module {
  compiled ??= compileEngine()
  return compiled
}

/** Calls the API with one key. Bodies are untyped: tests read the fields they expect. */
export interface Client {
  key: string
  // biome-ignore lint/suspicious/noExplicitAny: tests read the fields they expect
  call<T = any>(method: string, url: string, body?: unknown, headers?: Record<string, string>): Promise<Reply<T>>
  // biome-ignore lint/suspicious/noExplicitAny: tests read the fields they expect
  get<T = any>(url: string, headers?: Record<string, string>): Promise<Reply<T>>
  // biome-ignore lint/suspicious/noExplicitAny: tests read the fields they expect
  post<T = any>(url: string, body?: unknown, headers?: Record<string, string>): Promise<Reply<T>>
  // biome-ignore lint/suspicious/noExplicitAny: tests read the fields they expect
  patch<T = any>(url: string, body?: unknown, headers?: Record<string, string>): Promise<Reply<T>>
  // biome-ignore lint/suspicious/noExplicitAny: tests read the fields they expect
  delete<T = any>(url: string, headers?: Record<string, string>): Promise<Reply<T>>
}

export interface TestServer {
  app: App
  database: Database
  /** The admin of the organization that operates the server: all scopes. */
  alice: Client
  /** The admin of another organization: all scopes. */
  bob: Client
  organizations: { alice: string; bob: string }
  /** A client of Alice's organization with these scopes. */
  withScopes(...scopes: string[]): Promise<Client>
  client(key: string): Client
  /** The database as an organization sees it. */
  scopeOf(organizationId: string): Scope
  /** Another server on the same database, which `close` closes too. */
  another(settings?: Partial<Deps['config']>): Promise<Pick<TestServer, 'app' | 'alice' | 'bob'>>
  /** Runs all due background jobs, and the jobs that these enqueue. */
  settle(): Promise<void>
  close(): Promise<void>
}

/** A copy of the migrated template. `release` frees it. */
interface TestDatabase {
  database: Database
  release: () => Promise<void>
}

/** The embedded database that no test file uses: the next one to start a server empties and takes it. */
let idle: Database | undefined

/** SQL: the tables whose rows are the same for every server. */
const FILLED = sql`('schema_migrations'), ('searched_columns'), ('version'), ('queue')`

/** Empties all tables as they are in the template. A test that changes the schema opens a database of its own. */
async function emptyDatabase({ kysely }: Database): Promise<void> {
  const { rows } = await sql<{ table: string }>`
    select format('%I.%I', schemaname, tablename) as table from pg_tables
    where schemaname in ('public', 'jobs') and tablename not in (values ${FILLED})
    and pg_relation_size(format('%I.%I', schemaname, tablename)::regclass) > 0`.execute(kysely)
  // Deleting a few rows takes a fifth of the time that truncating all tables takes: that makes new files of 400 tables and indexes.
  await sql`set session_replication_role = replica`.execute(kysely)
  await sql.raw(rows.map(({ table }) => `delete from ${table};`).join('')).execute(kysely)
  await sql`set session_replication_role = origin`.execute(kysely)
  await sql`vacuum ${sql.raw(rows.map(({ table }) => table).join(', '))}`.execute(kysely)
  // Without checkpoints the write-ahead log would grow in memory until the worker ends.
  await sql`checkpoint`.execute(kysely)
  // Tests that look at plans have the planner count rows.
  await sql`delete from pg_statistic where starelid >= 16384`.execute(kysely)
}

/** Opens a copy of the template in memory. One that another test file has released is ten times as quick to have. */
async function embeddedDatabase(snapshot: string): Promise<TestDatabase> {
  const used = idle
  idle = undefined
  if (used) await emptyDatabase(used)
  const open = () =>
    openDatabase(
      { ...SETTINGS, databaseUrl: 'memory:' },
      { snapshot: new Blob([readFileSync(snapshot)]), engine: engine() },
    )
  const database = used ?? (await open())
  return {
    database,
    async release() {
      if (idle) await database.close()
      else idle = database
    },
  }
}

/** Clones the template on the PostgreSQL server. */
async function serverDatabase(server: { url: string; database: string }): Promise<TestDatabase> {
  const name = `${server.database}_${randomBytes(4).toString('hex')}`
  const admin = new pg.Client(server.url)
  await admin.connect()
  // Cloning needs exclusive use of the template: test files that start together take turns.
  await admin.query('select pg_advisory_lock(1)')
  await admin.query(`create database ${name} template ${server.database}`)
  await admin.query('select pg_advisory_unlock(1)')
  const url = new URL(server.url)
  url.pathname = `/${name}`
  const database = await openDatabase({ ...SETTINGS, databaseUrl: url.href })
  return {
    database,
    async release() {
      await database.close()
      await admin.query(`drop database ${name} with (force)`)
      await admin.end()
    },
  }
}

/** Calls an app with a key. */
function clientOf(app: App, key: string): Client {
  const call: Client['call'] = async (method, url, body, headers = {}) => {
    const response = await app.inject({
      method: method as 'GET',
      url,
      headers: { authorization: `Bearer ${key}`, ...headers },
      ...(body !== undefined && { payload: body as object }),
    })
    const type = String(response.headers['content-type'] ?? '')
    const parsed = response.body !== '' && type.includes('json') ? JSON.parse(response.body) : response.body
    checkReplies(app, method, url, response.statusCode, type, parsed)
    return { status: response.statusCode, headers: response.headers as Reply<never>['headers'], body: parsed }
  }
  return {
    key,
    call,
    get: (url, headers) => call('GET', url, undefined, headers),
    post: (url, body, headers) => call('POST', url, body, headers),
    patch: (url, body, headers) => call('PATCH', url, body, headers),
    delete: (url, headers) => call('DELETE', url, undefined, headers),
  }
}

/** The API of a database of its own, with two organizations. Every reply is checked against its documented schema. */
export async function startTestServer(
  settings: Partial<Deps['config']> = {},
  parts: Partial<Pick<Deps, 'embedders' | 'logger' | 'findTool' | 'supervision'>> = {},
): Promise<TestServer> {
  const { snapshot, server } = inject('template')
  const { database, release } = server ? await serverDatabase(server) : await embeddedDatabase(snapshot!)
  const cipher = createCipher(randomBytes(32).toString('hex'))
  const key = (await bootstrap({ database, cipher }, undefined))!
  const config: Deps['config'] = {
    bodyLimit: 1024 * 1024,
    requestTimeout: 300,
    uploadLimit: 4 * 1024 * 1024,
    defaultModel: 'openai/gpt-5-mini',
    rateLimit: undefined,
    corsOrigins: [],
    trustProxy: [],
    basePath: '',
    vectorStores: {},
    webSearch: readConfig({}).webSearch,
    // The stand-ins of providers listen on loopback.
    allowedNetworks: ['loopback'],
    providers: [],
    otlpEndpoint: undefined,
    traceDays: 30,
    modelFallbacks: {},
    sandbox: 'auto',
    e2b: undefined,
    packages: undefined,
    packageIndexes: { pip: '', npm: '' },
    dataDir: SETTINGS.dataDir,
    console: true,
    buildsConsole: false,
    mcpPrograms: {},
    ...settings,
  }
  const jobs = await openJobs(database, { supervise: false })
  const logger = pino({ level: 'silent' })
  const build = (jobs: Jobs, other: Partial<Deps['config']> = {}) =>
    buildApp({ config: { ...config, ...other }, database, cipher, jobs, logger, version: 'test', ...parts })
  const app = await build(jobs)
  const apps = [app]
  const client = (key: string) => clientOf(app, key)

  const alice = client(key)
  const scopes = [...FULL]
  const [home] = (await alice.get('/v1/admin/orgs/')).body
  const other = (await alice.post('/v1/admin/orgs/', { name: 'Other' })).body
  const user = (await alice.post('/v1/admin/users/', { name: 'Bob', organization_id: other.id })).body
  const bob = client((await alice.post('/v1/api-keys/', { name: 'bob', user_id: user.id, scopes })).body.key)

  return {
    app,
    database,
    alice,
    bob,
    organizations: { alice: home.id, bob: other.id },
    withScopes: async (...wanted) =>
      client((await alice.post('/v1/api-keys/', { name: wanted.join().slice(0, 200), scopes: wanted })).body.key),
    client,
    scopeOf: (organizationId) =>
      createScope(
        { database, cipher, jobs },
        { organizationId, userId: null, keyId: null, scopes, requestId: null, operator: false },
      ),
    settle: () => app.workers.runDue(),
    async another(settings) {
      const other = await build(await openJobs(database, { supervise: false }), settings)
      apps.push(other)
      return { app: other, alice: clientOf(other, alice.key), bob: clientOf(other, bob.key) }
    },
    async close() {
      await Promise.all(apps.map((app) => app.close()))
      await release()
    },
  }
}

/** A test server for all tests of a file: started before them, closed after them. Empty until the first hook has run. */
export function useTestServer(...options: Parameters<typeof startTestServer>): TestServer {
  const server = {} as TestServer
  beforeAll(async () => {
    Object.assign(server, await startTestServer(...options))
  })
  afterAll(() => server.close())
  return server
}
