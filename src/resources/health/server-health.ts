import { sql } from 'kysely'
import type { Database } from '../../db/engine/database.ts'
import type { Jobs } from '../../db/jobs.ts'
import type { Scope } from '../../db/scope.ts'
import { diskOf } from '../../lib/disk.ts'
import type { OpenedSandbox } from '../../sandbox/open.ts'
import type { ServerHealth } from './schema.ts'

/** The parts of the server whose state is reported. */
export interface HealthSources {
  version: string
  config: { dataDir: string }
  database: Pick<Database, 'engine' | 'connections'>
  jobs: Jobs
  runtime: { activity(): ServerHealth['runs'] }
  sandbox: { opened(): Promise<OpenedSandbox> }
  recentRequests: { report(): ServerHealth['requests'] }
}

/** The state of this server. The caller checks that the scope operates the server. */
export async function reportHealth(scope: Scope, sources: HealthSources): Promise<ServerHealth> {
  const { version, config, database, jobs, runtime, sandbox, recentRequests } = sources
  const [row] = await scope.read<{ version: string }>(sql`select current_setting('server_version') as version`)
  const { kind, note } = await sandbox.opened()
  const queues = await jobs.boss.getQueues()
  return {
    version,
    uptime_seconds: Math.floor(process.uptime()),
    database: { engine: database.engine, version: row!.version, connections: database.connections() },
    runs: runtime.activity(),
    jobs: queues
      .map(({ name, readyCount, deferredCount, activeCount, failedCount }) => ({
        ...{ queue: name, ready: readyCount, deferred: deferredCount },
        ...{ active: activeCount, failed: failedCount },
      }))
      .sort((one, other) => (one.queue < other.queue ? -1 : 1)),
    disk: diskOf(config.dataDir),
    requests: recentRequests.report(),
    sandbox: { kind, note },
  }
}
