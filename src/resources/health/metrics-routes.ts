import type { App } from '../../http/server.ts'
import type { Telemetry } from '../../telemetry/telemetry.ts'
import { requireOperator } from '../organizations/access.ts'

const TEXT = 'text/plain; version=0.0.4; charset=utf-8'

/**
 * `/metrics`, for Prometheus rather than for clients of the API. It has the metrics of all organizations together, so only the
 * organization that runs the server reads them.
 */
export const metricsRoutes = (telemetry: Telemetry) => async (app: App) => {
  app.get('/metrics', { schema: { hide: true }, config: { right: 'admin' } }, async ({ scope }, reply) => {
    requireOperator(scope, 'read its metrics')
    return reply.type(TEXT).send(await telemetry.prometheus())
  })
}
