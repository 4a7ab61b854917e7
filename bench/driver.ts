import { join } from 'node:path'
import { createHistogram } from 'node:perf_hooks'
import pg from 'pg'
import { v7 } from 'uuid'
import { openEmbedded } from '../src/db/embedded.ts'
import { SESSION_OPTIONS } from '../src/db/session.ts'
import { type Plan, type Statement, UUID } from './capture.ts'
import { answer } from './child.ts'
import { blockValue } from './operations.ts'

/** The bare driver: the SQL of one operation over and over, from a plain pool, with nothing around it. */

export interface Opening {
  /** A PostgreSQL database; absent: the embedded one in `dataDir`. */
  databaseUrl: string | undefined
  dataDir: string
  /** Connections to a PostgreSQL server. */
  poolSize: number
}

export interface Running {
  plan: Plan
  /** The ids in the plan that each run replaces by new ones. */
  made: string[]
  blocks?: string[] | undefined
  connections: number
  seconds: number
}

/** What a run came to. */
export interface Ran {
  /** Requests a second. */
  rps: number
  p50Ms: number
}

export type DriverQuestion = { open: Opening } | { run: Running }

let pool: pg.Pool | undefined
let updates = 0

async function open({ databaseUrl, dataDir, poolSize }: Opening): Promise<Ran> {
  const config = databaseUrl
    ? { connectionString: databaseUrl, max: poolSize, options: SESSION_OPTIONS }
    : (await openEmbedded(join(dataDir, 'database'))).poolConfig
  pool = new pg.Pool(config)
  await pool.query('select 1')
  return { rps: 0, p50Ms: 0 }
}

/** The captured update's statement, for the next block and with a value it never had. */
function nextUpdate(blocks: string[]): (statement: Statement) => Statement {
  const n = ++updates
  const replaced = new Map([
    [blocks[0], blocks[n % blocks.length]],
    [blockValue('captured', 0), blockValue('driver', n)],
  ])
  return (statement) => ({
    ...statement,
    values: statement.values.map((value) => replaced.get(value as string) ?? value),
  })
}

/** A captured statement with new ids in the place of those it made. */
function anew(made: string[]): (statement: Statement) => Statement {
  const replaced = new Map(made.map((id) => [id, v7()]))
  const renew = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(renew)
    return typeof value === 'string' ? value.replace(UUID, (id) => replaced.get(id) ?? id) : value
  }
  return (statement) => ({ ...statement, values: statement.values.map(renew) })
}

/** Runs the steps of a plan; those of a transaction all on one connection. */
async function replay(plan: Plan, vary: (statement: Statement) => Statement): Promise<void> {
  const transaction = plan.some(([statement]) => statement!.text === 'begin')
  const client = transaction ? await pool!.connect() : undefined
  try {
    for (const step of plan) {
      await Promise.all(
        step.map((statement) => {
          const varied = vary(statement)
          // Only what has values can be prepared.
          const query = varied.values.length > 0 ? varied : varied.text
          return client ? client.query(query as string) : pool!.query(query as string)
        }),
      )
    }
  } finally {
    client?.release()
  }
}

async function run({ plan, made, blocks, connections, seconds }: Running): Promise<Ran> {
  const latencies = createHistogram()
  const start = performance.now()
  const until = start + seconds * 1000
  let done = 0
  const loop = async () => {
    while (performance.now() < until) {
      const began = performance.now()
      await replay(plan, blocks ? nextUpdate(blocks) : made.length > 0 ? anew(made) : (statement) => statement)
      latencies.record(Math.max(1, Math.round((performance.now() - began) * 1000)))
      done++
    }
  }
  await Promise.all(Array.from({ length: connections }, loop))
  return { rps: done / ((performance.now() - start) / 1000), p50Ms: latencies.percentile(50) / 1000 }
}

answer<DriverQuestion, Ran>((question) => ('open' in question ? open(question.open) : run(question.run)))
