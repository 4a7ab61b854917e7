import { type Kysely, type RawBuilder, sql } from 'kysely'
import { type ConstructorOptions, fromKysely, PgBoss, type QueueOptions, type QueueResult } from 'pg-boss'
import type { Actor } from './context.ts'
import type { Database } from './engine/database.ts'
import { MIGRATION_LOCK } from './engine/migrate.ts'
import { UNIQUE_VIOLATION } from './pg-errors.ts'
import type { Tables } from './tables.ts'

/**
 * The data of the jobs of each queue. Each resource adds its own, beside its row types:
 * `declare module '../../db/jobs.ts' { interface JobData { sync_archive: { archive_id: string } } }`.
 */
// biome-ignore lint/suspicious/noEmptyInterface: filled by the resources
export interface JobData {}

export type Queue = keyof JobData & string

/** The queue that gets the jobs that a queue has given up, after their last error or the death of the server. */
export const deadLetterQueue = (queue: Queue) => `${queue}_given_up`

/** SQL: whether a job of this queue and key waits, runs, or will be retried. */
export const isUnderWay = (queue: Queue, key: RawBuilder<unknown>): RawBuilder<boolean> =>
  sql`exists (select from jobs.job where name = ${queue} and singleton_key = ${key} and state <= 'active')`

/** On whose behalf a job runs. */
export interface JobOrigin {
  organization_id: string
  user_id: string | null
  request_id: string | null
}

/** The payload of a job. */
export type JobPayload<Q extends Queue = Queue> = JobData[Q] & JobOrigin

/**
 * Background work, stored in the same database: a job is added in the transaction of the rows it concerns, so that neither
 * exists without the other, and is retried when the server that ran it died.
 */
export interface Jobs {
  boss: PgBoss
  /** Makes the queues that are missing, in order: a dead letter queue comes before the queue that names it. */
  open(queues: Record<string, QueueOptions>): Promise<void>
  /**
   * Adds jobs by one statement, within `trx` if given. Of the jobs with one key, one waits and one runs at most: a third
   * would do the work of the one that waits.
   */
  add<Q extends Queue>(
    trx: Kysely<Tables> | undefined,
    actor: Actor,
    queue: Q,
    list: readonly { data: JobData[Q]; key: string }[],
  ): Promise<void>
  /** The queues in which jobs wait. */
  waiting(): Promise<Set<string>>
  /** Those of these queues in which a job is due. */
  due(queues: readonly string[]): Promise<string[]>
  /** Whether another job does the work of a job in a dead letter queue: one with its key waits, runs, or came later. */
  isSuperseded(queue: Queue, id: string): Promise<boolean>
  /** Has a failed job tried once more. False where another job that will be retried has its key. */
  retry(queue: Queue, id: string): Promise<boolean>
  /** Makes the workers of a queue look for jobs now. */
  wake(queue: Queue): void
  /** Sets the function that wakes the workers of a queue. */
  onWake(wake: (queue: Queue) => void): void
  close(): Promise<void>
}

/** Enqueues jobs, in the transaction if one is given; otherwise wakes the workers at once. */
export async function enqueue<Q extends Queue>(
  jobs: Jobs | undefined,
  actor: Actor,
  transaction: { trx: Kysely<Tables>; queues: Set<Queue> } | undefined,
  queue: Q,
  list: readonly { data: JobData[Q]; key: string }[],
): Promise<void> {
  if (!jobs) throw new Error('This scope has no job queues.')
  if (list.length === 0) return
  await jobs.add(transaction?.trx, actor, queue, list)
  if (transaction) transaction.queues.add(queue)
  else jobs.wake(queue)
}

/** The interval at which jobs of dead servers are looked for, in seconds. */
const SUPERVISE_S = 15

/** How long a stopping server waits for its running jobs. */
const JOBS_END_MS = 5_000

const NO_JOB = '00000000-0000-0000-0000-000000000000'

/** Makes the tables of the job library, or brings them up to date. Servers that start at once take turns. */
async function install(kysely: Kysely<Tables>, settings: ConstructorOptions): Promise<void> {
  await kysely.connection().execute(async (connection) => {
    await sql`select pg_advisory_lock(${MIGRATION_LOCK}::bigint)`.execute(connection)
    const installer = new PgBoss({ ...settings, db: fromKysely(connection), supervise: false })
    try {
      await installer.start()
    } catch (error) {
      await sql`rollback`.execute(connection)
      throw error
    } finally {
      await installer.stop({ graceful: false, close: false })
      await sql`select pg_advisory_unlock(${MIGRATION_LOCK}::bigint)`.execute(connection)
    }
  })
}

/** Fails the jobs that ran when the last process ended, for their retry: an embedded database has no other process. */
async function failOrphans(boss: PgBoss, kysely: Kysely<Tables>): Promise<void> {
  const { rows } = await sql<{ name: string; ids: string[] }>`
    select name, array_agg(id) as ids from jobs.job where state = 'active' group by name`.execute(kysely)
  for (const { name, ids } of rows) await boss.fail(name, ids, { message: 'The server ended.' })
}

const hasOptions = (queue: QueueResult, options: QueueOptions) =>
  Object.entries(options).every(([name, value]) => queue[name as keyof QueueOptions] === value)

async function openQueues(boss: PgBoss, { engine, kysely }: Database, queues: Record<string, QueueOptions>) {
  const existing = new Map((await boss.getQueues()).map((queue) => [queue.name, queue]))
  for (const [name, options] of Object.entries<QueueOptions>(queues)) {
    const queue = existing.get(name)
    if (queue && hasOptions(queue, options)) continue
    if (queue) await boss.updateQueue(name, options)
    else await boss.createQueue(name, { ...options, policy: 'stately' })
    // Afterwards the library knows the queue, and sends no statement of its own beside the transaction of the first job.
    await boss.findJobs(name, { id: NO_JOB })
  }
  if (engine === 'embedded') await failOrphans(boss, kysely)
  // Other servers may run jobs of a PostgreSQL database: only the jobs of servers that sent no heartbeat are retried.
  if (engine === 'postgres') await boss.supervise()
}

async function dueIn({ kysely }: Database, queues: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select name from unnest(${queues}::text[]) as queue (name) where exists (
      select from jobs.job where job.name = queue.name and state < 'active' and not blocked and start_after <= now())
    `.execute(kysely)
  return rows.map(({ name }) => name)
}

async function isSuperseded({ kysely }: Database, queue: Queue, id: string): Promise<boolean> {
  // A job that was retried has lost the origin of the job that was given up.
  const { rows } = await sql`
    select from jobs.job as dead join jobs.job as other
      on other.name = ${queue} and other.singleton_key = dead.singleton_key
        and other.id is distinct from dead.source_id
    where dead.name = ${deadLetterQueue(queue)} and dead.id = ${id} and (other.state <= 'active'
      or other.created_on > coalesce(dead.source_created_on, dead.created_on)) limit 1`.execute(kysely)
  return rows.length > 0
}

/**
 * Opens the job tables of a database, making them or bringing them up to date where needed. Without `supervise`, jobs of dead
 * servers are not looked for.
 */
export async function openJobs(database: Database, { supervise = true } = {}): Promise<Jobs> {
  const { kysely } = database
  const settings = {
    backend: database.engine === 'embedded' ? ('pglite' as const) : ('postgres' as const),
    schema: 'jobs',
    createSchema: false,
    schedule: false,
    superviseIntervalSeconds: SUPERVISE_S,
    monitorIntervalSeconds: SUPERVISE_S,
    queueCacheIntervalSeconds: SUPERVISE_S,
  }
  await install(kysely, settings)
  const boss = new PgBoss({ ...settings, db: fromKysely(kysely), migrate: false, supervise })
  // The library repeats failed maintenance at its next interval.
  boss.on('error', () => {})
  await boss.start()
  let wake: (queue: Queue) => void = () => {}

  return {
    boss,
    open: (queues) => openQueues(boss, database, queues),
    async add(trx, actor, queue, list) {
      const origin: JobOrigin = {
        organization_id: actor.organizationId,
        user_id: actor.userId,
        request_id: actor.requestId,
      }
      const added = list.map(({ data, key }) => ({ data: { ...(data as object), ...origin }, singletonKey: key }))
      await boss.insert(queue, added, { db: fromKysely(trx ?? kysely) })
    },
    async waiting() {
      const { rows } = await sql<{ name: string }>`
        select distinct name from jobs.job where state < 'active'`.execute(kysely)
      return new Set(rows.map(({ name }) => name))
    },
    due: (queues) => dueIn(database, queues),
    isSuperseded: (queue, id) => isSuperseded(database, queue, id),
    async retry(queue, id) {
      try {
        await boss.retry(queue, id)
      } catch (error) {
        if ((error as { code?: string }).code === UNIQUE_VIOLATION) return false
        throw error
      }
      wake(queue)
      return true
    },
    wake: (queue) => wake(queue),
    onWake(set) {
      wake = set
    },
    close: () => boss.stop({ graceful: true, close: false, timeout: JOBS_END_MS }),
  }
}
