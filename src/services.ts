import type { FastifyBaseLogger } from 'fastify'
import type { Config } from './config.ts'
import type { Actor } from './db/context.ts'
import { awaitingConnections } from './db/engine/await-connection.ts'
import type { Database } from './db/engine/database.ts'
import type { Jobs } from './db/jobs.ts'
import { createScope, type Scope, type ScopeServices } from './db/scope.ts'
import { createVectorStores, guardStores, type VectorStores } from './embed/stores.ts'
import { createRecentRequests, type RecentRequests } from './http/recent-requests.ts'
import { embedContainer } from './jobs/embed-container.ts'
import { embedMessagesWork } from './jobs/embed-messages.ts'
import { createPlannedRuns, type PlannedRuns } from './jobs/planned-runs.ts'
import { processFile } from './jobs/process-file.ts'
import { batchCallback, runCallback } from './jobs/run-callback.ts'
import { startSweeping } from './jobs/sweep.ts'
import { type BaseProviders, registerBaseProviders } from './jobs/sync-base.ts'
import { syncContainer } from './jobs/sync-container.ts'
import { enqueuePrograms, syncProgramsWork } from './jobs/sync-programs.ts'
import { syncProvider } from './jobs/sync-provider.ts'
import { createWorkers, type Workers } from './jobs/workers.ts'
import type { Cipher } from './lib/cipher.ts'
import { rememberPlainTexts } from './lib/cipher-cache.ts'
import { createEgress, type Egress, guardEgress } from './lib/egress.ts'
import { createKeyedMutex } from './lib/keyed-mutex.ts'
import { createKeyedSemaphore, type KeyedSemaphore } from './lib/keyed-semaphore.ts'
import { createMcpClient } from './mcp/client.ts'
import { createPrograms } from './mcp/programs.ts'
import { type Authenticator, createAuthenticator } from './resources/api-keys/authenticate.ts'
import type { McpDeps } from './resources/mcp-servers/call.ts'
import { createEmbedders, type Embedders, guardEmbedders } from './resources/models/embedding.ts'
import { createLanguageModels, type LanguageModels } from './resources/models/language.ts'
import { createRelist, type Relist } from './resources/models/relist.ts'
import { createSourceReader, type SourceReader } from './resources/tools/source/reader.ts'
import { createToolVectors, type ToolVectors } from './resources/tools/vectors.ts'
import { createLetters } from './runtime/letters.ts'
import { createRuntime, type Runtime } from './runtime/runtime.ts'
import type { Supervision } from './runtime/supervise.ts'
import { findTool } from './runtime/tools/find.ts'
import type { FindTool, ToolServices } from './runtime/tools/tool.ts'
import { createSandbox, type ServerSandbox } from './sandbox/open.ts'
import { createTelemetry, type Telemetry } from './telemetry/telemetry.ts'

export interface Deps {
  config: Pick<
    Config,
    | 'bodyLimit'
    | 'requestTimeout'
    | 'uploadLimit'
    | 'defaultModel'
    | 'modelFallbacks'
    | 'rateLimit'
    | 'corsOrigins'
    | 'trustProxy'
    | 'basePath'
    | 'vectorStores'
    | 'webSearch'
    | 'allowedNetworks'
    | 'providers'
    | 'otlpEndpoint'
    | 'traceDays'
    | 'sandbox'
    | 'packages'
    | 'packageIndexes'
    | 'e2b'
    | 'dataDir'
    | 'console'
    | 'buildsConsole'
    | 'mcpPrograms'
  >
  database: Database
  cipher: Cipher
  jobs: Jobs
  logger: FastifyBaseLogger
  version: string
  /** By default the built-in embedding model and those of providers. */
  embedders?: Embedders
  /** By default the built-in tools, and those with source code. */
  findTool?: FindTool
  /** How servers look after each other's runs. */
  supervision?: Supervision
}

/** Models answer slowly: one on a slow machine reads its prompt for minutes, and each run that is carried out waits for one. */
const MODEL_BOUNDS = {
  headersMs: 600_000,
  bodyMs: 300_000,
  totalMs: 3_600_000,
  maxBytes: 64 * 1024 * 1024,
  connections: 2_000,
}

/** MCP servers send results of tools, and take their time for them; a call may be an open stream without a word. */
const MCP_BOUNDS = { headersMs: 65_000, bodyMs: 65_000, totalMs: 90_000, maxBytes: 8 * 1024 * 1024, connections: 64 }

/** The shared objects of routes and background work, created once for each server. */
export interface Services {
  config: Deps['config']
  database: Database
  jobs: Jobs
  version: string
  authenticator: Authenticator
  scopeOf(actor: Actor): Scope
  egress: Egress
  stores: VectorStores
  embedders: Embedders
  reader: SourceReader
  toolVectors: ToolVectors
  searchTurns: KeyedSemaphore
  workers: Workers
  runtime: Runtime
  plannedRuns: PlannedRuns
  sandbox: ServerSandbox
  /** What tools work with. */
  tools: ToolServices
  telemetry: Telemetry
  recentRequests: RecentRequests
  models: LanguageModels
  baseProviders: BaseProviders
  relist: Relist
  /** Gives organizations the MCP servers of the settings, by background work. */
  registerPrograms(): Promise<void>
  /** Stops background work, then closes connections and threads. */
  close(): Promise<void>
}

/** The web pages that one organization reads at once: each takes a thread. */
const PAGES_AT_ONCE = 2

/** The background work of a server. */
const workOf = ({ egress, embedders, stores }: Pick<Services, 'egress' | 'embedders' | 'stores'>, mcp: McpDeps) => ({
  embed_container: embedContainer(embedders),
  embed_messages: embedMessagesWork(embedders),
  process_file: processFile(embedders),
  batch_callback: batchCallback(egress),
  run_callback: runCallback(egress),
  sync_container: syncContainer(stores),
  sync_programs: syncProgramsWork(mcp),
  sync_provider: syncProvider(egress),
})

/** The client of MCP servers. */
function mcpOf({ config, database, version, logger }: Deps, sandbox: ServerSandbox): McpDeps {
  const egress = guardEgress(createEgress(config.allowedNetworks, MCP_BOUNDS), database.guard)
  const programs = createPrograms({
    programs: config.mcpPrograms,
    enclose: sandbox.encloseService,
    version,
    log: (server, stderr) => logger.warn({ server, stderr }, 'an MCP server has ended'),
  })
  const mcp = createMcpClient({ fetch: egress.fetch, version, programs })
  return { mcp, programs, egress, mutex: createKeyedMutex() }
}

/** What tools reach outside of the database. */
function outsideOf(deps: Deps, egress: Egress) {
  const sandbox = createSandbox({ ...deps.config, mode: deps.config.sandbox })
  return {
    web: { egress, services: deps.config.webSearch, turns: createKeyedSemaphore(PAGES_AT_ONCE) },
    sandbox,
    mcp: mcpOf(deps, sandbox),
    findTool: deps.findTool ?? findTool,
  }
}

const embeddersOf = ({ config, database, embedders }: Deps, egress: Egress) =>
  guardEmbedders(embedders ?? createEmbedders({ egress, providers: config.providers }), database.guard)

const telemetryOf = ({ config, database, version }: Deps, runs: () => ReturnType<Runtime['activity']>) =>
  createTelemetry(config.otlpEndpoint, version, { runs, pool: database.connections })

const scopesOf = (services: ScopeServices) => (actor: Actor) => createScope(services, actor)

/** Creates the services of a server. Inside transactions of `database` their network calls throw. */
export async function createServices(deps: Deps): Promise<Services> {
  const { config, database, jobs, logger, version } = deps
  const cipher = rememberPlainTexts(deps.cipher)
  const egress = guardEgress(createEgress(config.allowedNetworks), database.guard)
  const stores = guardStores(createVectorStores(config.vectorStores), database.guard)
  const embedders = embeddersOf(deps, egress)
  const scopeOf = scopesOf({ database, cipher, jobs })
  const reader = createSourceReader()
  const outside = outsideOf(deps, egress)
  const workers = await createWorkers(jobs, scopeOf, workOf({ egress, embedders, stores }, outside.mcp), logger)
  const modelEgress = guardEgress(createEgress(config.allowedNetworks, MODEL_BOUNDS), database.guard)
  const models = createLanguageModels({ egress: modelEgress, providers: config.providers }, config.modelFallbacks)
  const baseProviders = await registerBaseProviders({ database, egress, providers: config.providers, logger })
  const { searchTurns } = database
  const tools = { embedders, stores, searchTurns, letters: createLetters(() => runtime), ...outside }
  const telemetry = await telemetryOf(deps, () => runtime.activity())
  const scopeOfRun = scopesOf({ database: awaitingConnections(database), cipher, jobs })
  const parts = { database, models, scopeOf: scopeOfRun, logger, tools, telemetry, fetch: egress.fetch }
  const runtime: Runtime = createRuntime(parts, deps.supervision)
  await runtime.begun
  const plannedRuns = createPlannedRuns({ database, runtime, scopeOf }, logger)
  const stopSweeping = startSweeping(database, logger, config.traceDays)
  return {
    config,
    database,
    jobs,
    version,
    authenticator: createAuthenticator(database),
    scopeOf,
    egress,
    stores,
    embedders,
    reader,
    toolVectors: createToolVectors(),
    searchTurns,
    workers,
    runtime,
    plannedRuns,
    sandbox: tools.sandbox,
    tools,
    telemetry,
    recentRequests: createRecentRequests(),
    models,
    baseProviders,
    relist: createRelist(egress, baseProviders.sync),
    registerPrograms: () => enqueuePrograms(database, scopeOf, config.mcpPrograms),
    async close() {
      await plannedRuns.stop()
      await runtime.close()
      await baseProviders.stop()
      await workers.stop()
      await stopSweeping()
      await Promise.all([egress.close(), modelEgress.close(), tools.mcp.egress.close()])
      await reader.close()
      await Promise.all([tools.sandbox.close(), tools.mcp.programs.close()])
      await telemetry.close()
    },
  }
}
