import { sql } from 'kysely'
import { Type } from 'typebox'
import type { Database } from '../../db/engine/database.ts'
import { operationsOf } from '../../http/operation.ts'
import type { App } from '../../http/server.ts'
import { ApiError } from '../../lib/errors.ts'

const config = { public: true }
const response = { 200: Type.Object({ version: Type.String(), status: Type.String() }) }

const operations = operationsOf('health', {
  check_health: ['Tell that the server runs', { response }, config],
  check_ready: [
    'Tell whether requests are answered: the database is there, and the first key made',
    { response },
    config,
  ],
})

/** `/v1/health` and `/v1/ready`. They need no API key, so they read no data of an organization. */
export const healthRoutes =
  ({ database, version }: { database: Database; version: string }) =>
  async (app: App) => {
    app.get('/health/', operations.check_health, async () => ({
      version,
      status: 'ok',
    }))

    app.get('/ready/', operations.check_ready, async () => {
      const { rows } = await sql`select 1 from organizations limit 1`.execute(database.kysely)
      if (rows.length === 0) {
        throw new ApiError('unavailable', 'The server is starting.', { headers: { 'retry-after': '1' } })
      }
      return { version, status: 'ok' }
    })
  }
