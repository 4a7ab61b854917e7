import { addAuth } from './http/auth.ts'
import { addConsole } from './http/console/console.ts'
import { addCors } from './http/cors.ts'
import { addIdempotency } from './http/idempotency.ts'
import { addLettaPort } from './http/letta-port.ts'
import { trackMethods } from './http/methods.ts'
import { addOpenApi } from './http/openapi.ts'
import { createRateLimits } from './http/rate-limit.ts'
import { addRecentRequests } from './http/recent-requests.ts'
import { addRequestTelemetry } from './http/request-telemetry.ts'
import { type App, createServer, withSchemaTypes } from './http/server.ts'
import type { PlannedRuns } from './jobs/planned-runs.ts'
import type { Workers } from './jobs/workers.ts'
import { createConsoleKey } from './resources/api-keys/console-key.ts'
import { addModelLookup } from './resources/models/lookup.ts'
import { shapes } from './resources/shapes.ts'
import { type Mount, publicRoutes, routes } from './routes.ts'
import type { ServerSandbox } from './sandbox/open.ts'
import { createServices, type Deps } from './services.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** The background work. Call `start` once the server listens. */
    workers: Workers
    /** The runs that no request begins. A server that listens looks for them by itself. */
    plannedRuns: PlannedRuns
    /** What runs tools with source code. */
    sandbox: ServerSandbox
    /** Gives organizations the MCP servers of the settings, by background work. Call it once there is an organization. */
    registerPrograms(): Promise<void>
  }
}

const mount = (app: App, mounts: readonly Mount[]) => {
  for (const [prefix, plugin] of mounts) app.register(plugin, { prefix })
}

/** The whole API over a database, ready for `listen` or `inject`. */
export async function buildApp(deps: Deps): Promise<App> {
  const { config, logger, version } = deps
  const services = await createServices(deps)
  const server = createServer({ ...config, logger, shapes, proxy: config })
  server.decorate('workers', services.workers)
  server.decorate('sandbox', services.sandbox)
  server.decorate('plannedRuns', services.plannedRuns)
  server.decorate('registerPrograms', services.registerPrograms)
  server.addHook('onListen', async () => {
    services.baseProviders.startSync()
    services.plannedRuns.start()
  })
  server.addHook('onClose', () => services.close())
  // Later hooks run first: services are closed after the last response of either port.
  addLettaPort(server)
  addRequestTelemetry(server, services.telemetry)
  addRecentRequests(server, services.recentRequests)
  if (config.corsOrigins.length > 0) await addCors(server, config.corsOrigins)
  const addMethodNotAllowed = trackMethods(server)
  await addOpenApi(server, shapes, version)
  const app = withSchemaTypes(server)
  mount(app, publicRoutes(services))
  if (config.console) await addConsole(app, config, () => createConsoleKey(services.database, services.scopeOf))
  const limits = config.rateLimit === undefined ? undefined : await createRateLimits(server, config.rateLimit)
  await server.register(async (api) => {
    addAuth(api, services.authenticator.authenticate, services.scopeOf, limits)
    addIdempotency(api, services.runtime.owner)
    addModelLookup(api, services.relist, services.embedders)
    mount(withSchemaTypes(api), routes(services))
  })
  addMethodNotAllowed()
  await server.ready()
  return app
}
