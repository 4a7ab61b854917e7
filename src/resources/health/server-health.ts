import { sql } from 'kysely'
import type { Database } from '../../db/engine/database.ts'
import type { Scope } from '../../db/scope.ts'
import { diskOf } from '../../lib/disk.ts'
import type { OpenedSandbox } from '../../sandbox/open.ts'
import type { ServerHealth } from './schema.ts'

/** The parts of the server whose state is reported. */
export interface HealthSources {
  version: string
  config: { dataDir: string }
  database: Pick<Database, 'engine' | 'connections'>
  runtime: { activity(): ServerHealth['runs'] }
  sandbox: { opened(): Promise<OpenedSandbox> }
  recentRequests: { report(): ServerHealth['requests'] }
}

/** The state of this server. The caller checks that the scope operates the server. */
export async function reportHealth(scope: Scope, sources: HealthSources): Promise<ServerHealth> {
  const { version, config, database, runtime, sandbox, recentRequests } = sources
  const [row] = await scope.read<{ version: string }>(sql`select current_setting('server_version') as version`)
  const { kind, note } = await sandbox.opened()
  // By a read of its own kind: a connection of the library would wait for transactions of an embedded database.
  const jobs = await scope.read<ServerHealth['jobs'][number]>(sql`
    select name as queue, ready_count as ready, deferred_count as deferred, active_count as active, failed_count as failed
    from jobs.queue order by name`)
  return {
    version,
    uptime_seconds: Math.floor(process.uptime()),
    database: { engine: database.engine, version: row!.version, connections: database.connections() },
    runs: runtime.activity(),
    jobs,
    disk: diskOf(config.dataDir),
    requests: recentRequests.report(),
    sandbox: { kind, note },
  }
}
