import { join } from 'node:path'
import { createHistogram } from 'node:perf_hooks'
import pg from 'pg'
import { openEmbedded } from '../../src/db/engine/embedded.ts'
import { SESSION_OPTIONS } from '../../src/db/engine/session.ts'
import { type Plan, replay, type Vary, withNewIds, withNthUpdate } from '../operations/plan.ts'
import { serveParent } from './child.ts'

/** The bare driver: runs the SQL of one operation again and again from a plain pool. */

export interface DriverTarget {
  /** A PostgreSQL database; absent: the embedded one in `dataDir`. */
  databaseUrl: string | undefined
  dataDir: string
  /** Connections to a PostgreSQL server. */
  poolSize: number
}

export interface DriverRun {
  plan: Plan
  /** The ids in the plan that each run replaces by new ones. */
  createdIds: string[]
  blockIds?: string[] | undefined
  connections: number
  seconds: number
}

export interface DriverFigures {
  /** Requests per second. */
  rps: number
  p50Ms: number
}

export type DriverRequest = { open: DriverTarget } | { run: DriverRun }

async function openPool({ databaseUrl, dataDir, poolSize }: DriverTarget): Promise<pg.Pool> {
  const config = databaseUrl
    ? { connectionString: databaseUrl, max: poolSize, options: SESSION_OPTIONS }
    : (await openEmbedded(join(dataDir, 'database'))).poolConfig
  const pool = new pg.Pool(config)
  await pool.query('select 1')
  return pool
}

/** Runs a plan from every connection until the time is over. `vary` gives the change for each execution. */
async function run(pool: pg.Pool, { plan, connections, seconds }: DriverRun, vary: () => Vary): Promise<DriverFigures> {
  const latencies = createHistogram()
  const start = performance.now()
  const until = start + seconds * 1000
  let count = 0
  const loop = async () => {
    while (performance.now() < until) {
      const began = performance.now()
      await replay(pool, plan, vary())
      latencies.record(Math.max(1, Math.round((performance.now() - began) * 1000)))
      count++
    }
  }
  await Promise.all(Array.from({ length: connections }, loop))
  return { rps: count / ((performance.now() - start) / 1000), p50Ms: latencies.percentile(50) / 1000 }
}

function createDriver(): (request: DriverRequest) => Promise<DriverFigures> {
  let pool: pg.Pool | undefined
  let updates = 0
  return async (request) => {
    if ('open' in request) {
      pool = await openPool(request.open)
      return { rps: 0, p50Ms: 0 }
    }
    const { blockIds, createdIds } = request.run
    return run(pool!, request.run, () => {
      if (blockIds) return withNthUpdate(blockIds, ++updates)
      return createdIds.length > 0 ? withNewIds(createdIds) : (statement) => statement
    })
  }
}

serveParent<DriverRequest, DriverFigures>(createDriver())
