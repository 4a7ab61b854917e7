import { sql } from 'kysely'
import { Type } from 'typebox'
import type { Database } from '../../db/engine/database.ts'
import type { App } from '../../http/server.ts'
import { ApiError } from '../../lib/errors.ts'

const tags = ['health']
const config = { public: true }
const response = { 200: Type.Object({ version: Type.String(), status: Type.String() }) }

/** `/v1/health` and `/v1/ready`. They need no API key, so they read no data of an organization. */
export const healthRoutes =
  ({ database, version }: { database: Database; version: string }) =>
  async (app: App) => {
    app.get(
      '/health/',
      { config, schema: { operationId: 'check_health', summary: 'Tell that the server runs', tags, response } },
      async () => ({ version, status: 'ok' }),
    )

    app.get(
      '/ready/',
      {
        config,
        schema: {
          operationId: 'check_ready',
          summary: 'Tell whether requests are answered: the database is there, and the first key made',
          tags,
          response,
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
  }
