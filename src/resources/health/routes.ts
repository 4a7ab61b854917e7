import { sql } from 'kysely'
import { Type } from 'typebox'
import type { Database } from '../../db/engine/database.ts'
import { operationsOf } from '../../http/operation.ts'
import type { App } from '../../http/server.ts'
import { ApiError } from '../../lib/errors.ts'

const config = { public: true }
const response = { 200: Type.Object({ version: Type.String(), status: Type.String() }) }

const operations = operationsOf('health', {
  check_health: ['Report that the server runs', { response }, config],
  check_ready: [
    'Report whether the server is ready: the database can be read and written, and the first key is made',
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
      const read = sql<{ read_only: boolean }>`
        select current_setting('transaction_read_only') = 'on' as read_only from organizations limit 1
      `
      const [row] = await database.read<{ read_only: boolean }>(read.compile(database.kysely))
      const reason = row
        ? (database.whyFull() ?? (row.read_only ? 'The database is read-only' : undefined))
        : 'The server is starting'
      if (reason) throw new ApiError('unavailable', `${reason}.`, { headers: { 'retry-after': '1' } })
      return { version, status: 'ok' }
    })
  }
