import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import { Type } from 'typebox'
import type { Config } from './config.ts'
import type { Actor } from './db/context.ts'
import type { Database } from './db/engine/database.ts'
import type { Jobs } from './db/jobs.ts'
import { createScope } from './db/scope.ts'
import { createVectorStores } from './embed/stores.ts'
import { addAuth } from './http/auth.ts'
import { addCors } from './http/cors.ts'
import { addMethodNotAllowed } from './http/errors.ts'
import { addIdempotency } from './http/idempotency.ts'
import { addOpenApi } from './http/openapi.ts'
import { createRateLimits } from './http/rate-limit.ts'
import { type App, createServer } from './http/server.ts'
import { embedContainer } from './jobs/embed-container.ts'
import { processFile } from './jobs/process-file.ts'
import { startSweeping } from './jobs/sweep.ts'
import { addBaseProviders } from './jobs/sync-base.ts'
import { syncContainer } from './jobs/sync-container.ts'
import { syncProvider } from './jobs/sync-provider.ts'
import { createWorkers, type Workers } from './jobs/workers.ts'
import { type Cipher, rememberPlainTexts } from './lib/cipher.ts'
import { createEgress } from './lib/egress.ts'
import { ApiError } from './lib/errors.ts'
import { accessTokenRoutes } from './resources/access-tokens/routes.ts'
import { agentExportRoutes } from './resources/agent-export/routes.ts'
import { archivalMemoryRoutes } from './resources/agents/archival-memory/routes.ts'
import { archivalMemorySearchRoutes } from './resources/agents/archival-memory/search-routes.ts'
import { attachmentRoutes } from './resources/agents/attachments/routes.ts'
import { coreMemoryRoutes } from './resources/agents/core-memory/routes.ts'
import { agentFileRoutes } from './resources/agents/files/routes.ts'
import { agentGroupRoutes } from './resources/agents/groups/routes.ts'
import { detachFolderFromAgents, toolHolders } from './resources/agents/holders/holders.ts'
import { folderHolderRoutes, holderRoutes } from './resources/agents/holders/routes.ts'
import { agentRoutes } from './resources/agents/routes.ts'
import { agentToolRoutes } from './resources/agents/tools/routes.ts'
import { createAuthenticator } from './resources/api-keys/authenticate.ts'
import { apiKeyRoutes } from './resources/api-keys/routes.ts'
import { passageRoutes } from './resources/archives/passage-routes.ts'
import { archiveRoutes } from './resources/archives/routes.ts'
import { blockIdentityRoutes } from './resources/blocks/identity-routes.ts'
import { blockRoutes } from './resources/blocks/routes.ts'
import { folderFileRoutes } from './resources/folders/file-routes.ts'
import { folderRoutes } from './resources/folders/routes.ts'
import { sourceFileRoutes } from './resources/folders/source-file-routes.ts'
import { sourceRoutes } from './resources/folders/source-routes.ts'
import { groupRoutes } from './resources/groups/routes.ts'
import { identityBlockRoutes } from './resources/identities/block-routes.ts'
import { identityRoutes } from './resources/identities/routes.ts'
import { createEmbedders, type Embedders } from './resources/models/embedding.ts'
import { modelRoutes, storageRoutes } from './resources/models/routes.ts'
import { adminRoutes } from './resources/organizations/routes.ts'
import { embeddingRoutes } from './resources/passages/embedding-routes.ts'
import { passageSearchRoutes } from './resources/passages/search-routes.ts'
import { projectRoutes } from './resources/projects/routes.ts'
import { providerRoutes } from './resources/providers/routes.ts'
import { shapes } from './resources/shapes.ts'
import { tagRoutes } from './resources/tags/routes.ts'
import { projectTemplateRoutes } from './resources/templates/project-routes.ts'
import { templateRoutes } from './resources/templates/routes.ts'
import { toolRoutes } from './resources/tools/routes.ts'
import { createSourceReader } from './resources/tools/source/reader.ts'

export interface Deps {
  config: Pick<
    Config,
    | 'bodyLimit'
    | 'uploadLimit'
    | 'defaultModel'
    | 'rateLimit'
    | 'corsOrigins'
    | 'trustProxy'
    | 'basePath'
    | 'vectorStores'
    | 'allowedNetworks'
    | 'providers'
  >
  database: Database
  cipher: Cipher
  jobs: Jobs
  logger: FastifyBaseLogger
  version: string
  /** What embeds; the built-in model and those of providers, if absent. */
  embedders?: Embedders
}

declare module 'fastify' {
  interface FastifyInstance {
    /** The background work: `start` it beside a server that listens. */
    workers: Workers
  }
}

/** The whole API over a database, ready to listen or to be called with `inject`. */
export async function buildApp(deps: Deps): Promise<App> {
  const { config, database, jobs, logger, version } = deps
  const cipher = rememberPlainTexts(deps.cipher)
  const app = createServer({ bodyLimit: config.bodyLimit, logger, shapes, proxy: config })
  if (config.corsOrigins.length > 0) await addCors(app as unknown as FastifyInstance, config.corsOrigins)
  const paths = new Map<string, Set<string>>()
  app.addHook('onRoute', ({ url, method }) => {
    const methods = paths.get(url) ?? new Set()
    for (const one of [method].flat()) methods.add(one)
    paths.set(url, methods)
  })
  await addOpenApi(app as unknown as FastifyInstance, shapes, version)

  const open = { open: true }
  const health = Type.Object({ version: Type.String(), status: Type.String() })
  app.get(
    '/v1/health/',
    {
      config: open,
      schema: {
        operationId: 'check_health',
        summary: 'Tell that the server runs',
        tags: ['health'],
        response: { 200: health },
      },
    },
    async () => ({ version, status: 'ok' }),
  )
  app.get(
    '/v1/ready/',
    {
      config: open,
      schema: {
        operationId: 'check_ready',
        summary: 'Tell whether requests are answered: the database is there, and the first key made',
        tags: ['health'],
        response: { 200: health },
      },
    },
    async () => {
      const { rows } = await sql`select 1 from organizations limit 1`.execute(database.kysely)
      if (rows.length === 0) {
        throw new ApiError('unavailable', 'The server is starting.', { headers: { 'retry-after': '1' } })
      }
      return { version, status: 'ok' }
    },
  )

  const stores = createVectorStores(config.vectorStores)
  const reader = createSourceReader()
  app.addHook('onClose', () => reader.close())

  const egress = createEgress(config.allowedNetworks)
  app.addHook('onClose', () => egress.close())
  const embedders = deps.embedders ?? createEmbedders({ egress, providers: config.providers })

  const { authenticate, forget } = createAuthenticator(database)
  const scopeOf = (actor: Actor) => createScope({ database, cipher, jobs }, actor)
  const limits =
    config.rateLimit === undefined
      ? undefined
      : await createRateLimits(app as unknown as FastifyInstance, config.rateLimit)
  await app.register(async (api) => {
    addAuth(api as unknown as FastifyInstance, authenticate, scopeOf, limits)
    addIdempotency(api as unknown as FastifyInstance)
    api.register(agentRoutes(config), { prefix: '/v1/agents' })
    api.register(agentExportRoutes({ ...config, shapes }), { prefix: '/v1/agents' })
    api.register(attachmentRoutes, { prefix: '/v1/agents' })
    api.register(archivalMemoryRoutes(embedders), { prefix: '/v1/agents' })
    api.register(archiveRoutes(stores), { prefix: '/v1/archives' })
    api.register(holderRoutes('archive'), { prefix: '/v1/archives' })
    api.register(passageRoutes(embedders, config.bodyLimit, database.engine === 'embedded'), { prefix: '/v1/archives' })
    api.register(embeddingRoutes, { prefix: '/v1' })
    api.register(agentFileRoutes, { prefix: '/v1/agents' })
    api.register(blockRoutes, { prefix: '/v1/blocks' })
    api.register(holderRoutes('block'), { prefix: '/v1/blocks' })
    api.register(blockIdentityRoutes, { prefix: '/v1/blocks' })
    api.register(coreMemoryRoutes, { prefix: '/v1/agents' })
    api.register(tagRoutes, { prefix: '/v1/tags' })
    api.register(toolRoutes({ reader, holders: toolHolders }), { prefix: '/v1/tools' })
    api.register(agentToolRoutes, { prefix: '/v1/agents' })
    api.register(folderRoutes(detachFolderFromAgents), { prefix: '/v1/folders' })
    api.register(folderHolderRoutes('folder'), { prefix: '/v1/folders' })
    api.register(folderFileRoutes(config), { prefix: '/v1/folders' })
    api.register(sourceRoutes(detachFolderFromAgents), { prefix: '/v1/sources' })
    api.register(folderHolderRoutes('source'), { prefix: '/v1/sources' })
    api.register(sourceFileRoutes(config), { prefix: '/v1/sources' })
    api.register(agentGroupRoutes, { prefix: '/v1/agents' })
    api.register(groupRoutes, { prefix: '/v1/groups' })
    api.register(identityRoutes, { prefix: '/v1/identities' })
    api.register(holderRoutes('identity'), { prefix: '/v1/identities' })
    api.register(identityBlockRoutes, { prefix: '/v1/identities' })
    api.register(passageSearchRoutes({ embedders, stores }), { prefix: '/v1/passages' })
    api.register(archivalMemorySearchRoutes({ embedders, stores }), { prefix: '/v1/agents' })
    api.register(templateRoutes({ ...config, shapes }), { prefix: '/v1/templates' })
    api.register(projectTemplateRoutes({ ...config, shapes }), { prefix: '/v1/templates' })
    api.register(providerRoutes(egress, config.providers), { prefix: '/v1/providers' })
    api.register(modelRoutes, { prefix: '/v1/models' })
    api.register(storageRoutes, { prefix: '/v1/embeddings' })
    api.register(projectRoutes, { prefix: '/v1/projects' })
    api.register(accessTokenRoutes(forget), { prefix: '/v1/client-side-access-tokens' })
    api.register(apiKeyRoutes(forget), { prefix: '/v1/api-keys' })
    api.register(adminRoutes(forget), { prefix: '/v1/admin' })
  })
  addMethodNotAllowed(app as unknown as FastifyInstance, paths)
  app.addHook('onClose', startSweeping(database, logger))
  const work = {
    embed_container: embedContainer(embedders),
    process_file: processFile(embedders),
    sync_container: syncContainer(stores),
    sync_provider: syncProvider(egress),
  }
  app.decorate('workers', await createWorkers(jobs, scopeOf, work, logger))
  app.addHook('onClose', () => app.workers.stop())
  await addBaseProviders(app as unknown as FastifyInstance, { database, egress, providers: config.providers, logger })
  await app.ready()
  return app
}
