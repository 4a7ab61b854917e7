import type { AddressInfo } from 'node:net'
import { type Logger, pino } from 'pino'
import pretty from 'pino-pretty'
import { buildApp } from '../app.ts'
import { type Config, ConfigError, readConfig } from '../config.ts'
import { openJobs } from '../db/jobs.ts'
import { isUnavailable } from '../db/pg-errors.ts'
import type { App } from '../http/server.ts'
import { SCRIPTED } from '../resources/models/handles.ts'
import { MODEL_ENDPOINT_TYPES } from '../resources/models/schema.ts'
import type { OpenedSandbox } from '../sandbox/open.ts'
import type { Deps } from '../services.ts'
import { bootstrap } from './bootstrap.ts'
import { openStorage } from './open.ts'
import { version } from './version.ts'

/** Readable at a terminal, JSON otherwise. */
function createLogger(level: string) {
  // Lines are written in batches, asynchronously, so that requests don't wait for the disk.
  if (!process.stdout.isTTY)
    return pino({ level }, pino.destination({ dest: 1, sync: false, minLength: 4096, periodicFlush: 100 }))
  return pino(
    { level },
    pretty({ sync: true, singleLine: true, ignore: 'pid,hostname', translateTime: 'SYS:HH:MM:ss.l' }),
  )
}

/** Prints the URLs, the place of the data and the first key, for a new user. */
function greet(
  app: App,
  lettaPort: number | undefined,
  config: Config,
  key: string | undefined,
  sandbox: OpenedSandbox,
) {
  const { port } = app.server.address() as AddressInfo
  const origin = `http://${config.host.includes(':') ? `[${config.host}]` : config.host}`
  const url = `${origin}:${port}`
  const where =
    config.databaseUrl === undefined
      ? config.dataDir
      : config.databaseUrl === 'memory:'
        ? 'in memory: nothing is kept'
        : `PostgreSQL at ${new URL(config.databaseUrl).host}`
  console.log(`Cairn     ${url}`)
  const code = app.issueSignInCode?.()
  if (code) console.log(`Console   ${url}/console/#code=${code}   (signs in once, on this machine, within ten minutes)`)
  console.log(`API docs  ${url}/docs`)
  console.log(`Data      ${where}`)
  console.log(`Sandbox   ${sandbox.note}`)
  if (lettaPort !== undefined) console.log(`Letta     ${origin}:${lettaPort}`)
  if (key) console.log(`Key       ${key}   (shown this once)`)
  console.log(
    key ? `Try       curl -H "Authorization: Bearer ${key}" ${url}/v1/agents/` : `Try       curl ${url}/v1/health/`,
  )
}

/** Throws a ConfigError for a default model of an unknown provider. */
function checkDefaultModel({ defaultModel }: Config): void {
  const [provider] = defaultModel.split('/')
  if (defaultModel !== SCRIPTED.handle && !MODEL_ENDPOINT_TYPES.some((known) => known === provider)) {
    throw new ConfigError(
      `CAIRN_DEFAULT_MODEL names the provider "${provider}"; known are ${MODEL_ENDPOINT_TYPES.join(', ')}.`,
    )
  }
}

/** The remedy for an address of the settings on which the server can't listen. */
function explainListening({ code, message }: NodeJS.ErrnoException, { host }: Config, setting: string, port: number) {
  if (code === 'EADDRINUSE') return `Port ${port} is in use. Stop what uses it, or set ${setting} to another.`
  if (code === 'EACCES') return `Port ${port} may not be listened on by this user. Set ${setting} to one above 1023.`
  return `The address ${host} cannot be listened on: ${message}. Set HOST to one of this machine's, or to 0.0.0.0 for all.`
}

/** Node's codes for a disk that is full, over its quota or read-only. */
const DISK_ERRORS = ['ENOSPC', 'EDQUOT', 'EROFS']

/** The message of an expected error, with its remedy; undefined for an unexpected error. */
function explain(error: unknown, config: Config | undefined): string | undefined {
  if (error instanceof ConfigError) return error.message
  const { code, message } = error as NodeJS.ErrnoException
  if (code === '42501') {
    return (
      `The PostgreSQL role may not do this: ${message}. Let an administrator grant it (grant create on schema public) ` +
      'and create once in this database what only administrators may (create extension vector; create extension ' +
      'pg_trgm; create schema jobs authorization the_role;), or use a role that may.'
    )
  }
  if (config?.databaseUrl && config.databaseUrl !== 'memory:')
    return `The PostgreSQL server at ${new URL(config.databaseUrl).host} cannot be used: ${message}`
  if (config && (DISK_ERRORS.includes(code ?? '') || isUnavailable(error as Error)))
    return `CAIRN_DATA_DIR cannot be used: ${message}. Free space on the disk of ${config.dataDir}, or make it writable.`
  return undefined
}

type Parts = Partial<Pick<Deps, 'findTool' | 'supervision'>>

/**
 * Serves until SIGTERM or SIGINT, then finishes open requests and closes the database. Returns the exit code. `engine`: the
 * compiled embedded engine, if the caller has it. `parts` replace parts of the server.
 */
export async function serve(engine?: WebAssembly.Module, parts: Parts = {}): Promise<number> {
  let config: Config | undefined
  try {
    config = readConfig()
    await serveWith(config, engine, parts)
    return 0
  } catch (error) {
    const text = explain(error, config)
    if (text === undefined) throw error
    console.error(text)
    return 1
  }
}

const POLL_MS = 250

/** Calls `stop` when the parent process ends: npm passes a signal to its shell, which doesn't pass it on. */
function whenOrphaned(stop: () => void): void {
  const parent = process.ppid
  setInterval(() => process.ppid !== parent && stop(), POLL_MS).unref()
}

/** Listens on the ports of the settings. Returns the port for Letta clients, if there is one. Throws a ConfigError. */
async function listen(app: App, config: Config): Promise<number | undefined> {
  const { host, port, lettaPort } = config
  const explained = (setting: string, wanted: number) => (error: NodeJS.ErrnoException) => {
    throw new ConfigError(explainListening(error, config, setting, wanted))
  }
  await app.listen({ port, host }).catch(explained('PORT', port))
  if (lettaPort === undefined) return undefined
  return app.listenForLetta(lettaPort, host).catch(explained('CAIRN_LETTA_PORT', lettaPort))
}

/** How long a stopping server waits for open requests, and for the rest: Docker kills it after ten seconds. */
const REQUESTS_END_MS = 8_000
const STOP_MS = 9_000

/** Ends the process in STOP_MS, whoever keeps it busy: to stored data that is a crash, which loses nothing. */
function endInTime(app: App | undefined, logger: Logger): void {
  const closeConnections = () => {
    logger.warn('requests are still open: their connections are closed')
    app?.server.closeAllConnections()
  }
  const end = () => {
    logger.error('the server could not close everything, and ends all the same')
    process.exit(1)
  }
  setTimeout(closeConnections, REQUESTS_END_MS).unref()
  setTimeout(end, STOP_MS).unref()
}

async function serveWith(config: Config, engine: WebAssembly.Module | undefined, parts: Parts): Promise<void> {
  checkDefaultModel(config)
  const logger = createLogger(config.logLevel)
  const { database, cipher, trigrams } = await openStorage(config, engine)
  let app: App | undefined
  try {
    const jobs = await openJobs(database)
    app = await buildApp({ config, database, cipher, jobs, logger, version, ...parts })
    const stop = Promise.withResolvers<void>()
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => stop.resolve())
    if (config.startedByNpm) whenOrphaned(() => stop.resolve())
    // The greeting replaces the framework's own line about listening.
    logger.level = 'silent'
    const lettaPort = await listen(app, config)
    // After listening: the first key of a failed start would never be shown.
    const key = await bootstrap({ database, cipher }, config.apiKey)
    const sandbox = await app.sandbox.opened()
    greet(app, lettaPort, config, key, sandbox)
    logger.level = config.logLevel
    if (sandbox.kind === 'unsafe-local') {
      logger.warn('CAIRN_SANDBOX=unsafe-local: whoever may make a tool can do all that the user of this server can')
    }
    if (!trigrams) logger.warn('the PostgreSQL server lacks pg_trgm: substring searches will read every row')
    await app.registerPrograms()
    await app.workers.start()
    await stop.promise
  } finally {
    endInTime(app, logger)
    await app?.close()
    await database.close()
  }
}
