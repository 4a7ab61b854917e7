import { type Kysely, type RawBuilder, sql } from 'kysely'
import { type ConstructorOptions, fromKysely, PgBoss, type QueueOptions } from 'pg-boss'
import type { Actor } from './context.ts'
import type { Database } from './database.ts'
import { STARTING } from './migrate.ts'
import type { Tables } from './tables.ts'

/** What each kind of background work is told. */
export interface JobData {
  /** Embeds the passages of an archive or a folder that lack a vector of its model, from beyond an id on. */
  embed_container: { container_id: string; after?: string }
  /** Parses an uploaded file and makes passages of it. */
  process_file: { file_id: string }
  /** Lists the models of a provider. */
  sync_provider: { provider_id: string }
  /** Brings the hosted store of an archive up to date. */
  sync_container: { container_id: string }
}

export type Queue = keyof JobData & string

/** Where a queue's jobs come when they are given up, whatever ended them: an error, or the death of the server. */
export const givenUpQueue = (queue: Queue) => `${queue}_given_up`

/** Whether a queue's work with a key waits, is being done, or will be done again after an error. */
export const isUnderWay = (queue: Queue, key: RawBuilder<unknown>): RawBuilder<boolean> =>
  sql`exists (select from jobs.job where name = ${queue} and singleton_key = ${key} and state <= 'active')`

/** For whom the work is done. */
export interface Enqueued {
  organization_id: string
  user_id: string | null
  request_id: string | null
}

/**
 * Background work, kept in the same database: added in the transaction of what it belongs to, so that neither is there
 * without the other, and done again when the server that was doing it died.
 */
export interface Jobs {
  boss: PgBoss
  /** Makes sure that the queues are there, one after the other: first the one that another's jobs come to when they are given up. */
  open(queues: Record<string, QueueOptions>): Promise<void>
  /**
   * Adds jobs by one statement, within `trx` if given. Of jobs with one key one waits and one runs at most: a third is
   * the same work as the one that waits.
   */
  add<Q extends Queue>(
    trx: Kysely<Tables> | undefined,
    actor: Actor,
    queue: Q,
    list: readonly { data: JobData[Q]; key: string }[],
  ): Promise<void>
  /** Whether the work of a job that a queue gave up is another's: one with its key waits, is being done, or came later. */
  isOvertaken(queue: Queue, id: string): Promise<boolean>
  /** Has a queue looked at now rather than at its next turn. */
  wake(queue: Queue): void
  /** Called by whoever works on the queues: how to wake them. */
  onWake(wake: (queue: Queue) => void): void
  close(): Promise<void>
}

/** How often the work of servers that fell silent is looked for. */
const UPKEEP_S = 15

const NO_JOB = '00000000-0000-0000-0000-000000000000'

/** Makes the library's tables, or brings them up to date. Servers that start at once take turns. */
async function install(kysely: Kysely<Tables>, settings: ConstructorOptions): Promise<void> {
  await kysely.connection().execute(async (connection) => {
    await sql`select pg_advisory_lock(${STARTING}::bigint)`.execute(connection)
    const installer = new PgBoss({ ...settings, db: fromKysely(connection), supervise: false })
    try {
      await installer.start()
    } catch (error) {
      await sql`rollback`.execute(connection)
      throw error
    } finally {
      await installer.stop({ graceful: false, close: false })
      await sql`select pg_advisory_unlock(${STARTING}::bigint)`.execute(connection)
    }
  })
}

/**
 * Opens the job tables of a database, making them or bringing them up to date where needed. Without `supervise` the work
 * of servers that fell silent isn't looked for.
 */
export async function openJobs(database: Database, { supervise = true } = {}): Promise<Jobs> {
  const { kysely } = database
  const settings = {
    backend: database.engine === 'embedded' ? ('pglite' as const) : ('postgres' as const),
    schema: 'jobs',
    createSchema: false,
    schedule: false,
    superviseIntervalSeconds: UPKEEP_S,
    monitorIntervalSeconds: UPKEEP_S,
    queueCacheIntervalSeconds: UPKEEP_S,
  }
  await install(kysely, settings)
  const boss = new PgBoss({ ...settings, db: fromKysely(kysely), migrate: false, supervise })
  // What goes wrong in its own upkeep is done again at the next turn.
  boss.on('error', () => {})
  await boss.start()
  let wake: (queue: Queue) => void = () => {}

  /** What was being done when the last process ended: no other process works on an embedded database. */
  async function takeOver(queue: string) {
    const { rows } = await sql<{ id: string }>`
      select id from jobs.job where name = ${queue} and state = 'active'`.execute(kysely)
    const ids = rows.map(({ id }) => id)
    if (ids.length > 0) await boss.fail(queue, ids, { message: 'The server ended.' })
  }

  return {
    boss,
    async open(queues) {
      const there = new Set((await boss.getQueues()).map(({ name }) => name))
      for (const [name, options] of Object.entries<QueueOptions>(queues)) {
        if (there.has(name)) await boss.updateQueue(name, options)
        else await boss.createQueue(name, { ...options, policy: 'stately' })
        // It then knows the queue, and needs no statement of its own beside the transaction that adds the first job.
        await boss.findJobs(name, { id: NO_JOB })
        if (database.engine === 'embedded') await takeOver(name)
      }
      // Of a server's work that others may share the database with, only what fell silent long enough ago.
      if (database.engine === 'postgres') await boss.supervise()
    },
    async add(trx, actor, queue, list) {
      const about: Enqueued = {
        organization_id: actor.organizationId,
        user_id: actor.userId,
        request_id: actor.requestId,
      }
      const added = list.map(({ data, key }) => ({ data: { ...data, ...about }, singletonKey: key }))
      await boss.insert(queue, added, { db: fromKysely(trx ?? kysely) })
    },
    async isOvertaken(queue, id) {
      // Done again after an error, it has lost what it knew of the job that was given up.
      const { rows } = await sql`
        select from jobs.job as given join jobs.job as other
          on other.name = ${queue} and other.singleton_key = given.singleton_key
            and other.id is distinct from given.source_id
        where given.name = ${givenUpQueue(queue)} and given.id = ${id} and (other.state <= 'active'
          or other.created_on > coalesce(given.source_created_on, given.created_on)) limit 1`.execute(kysely)
      return rows.length > 0
    },
    wake: (queue) => wake(queue),
    onWake(how) {
      wake = how
    },
    close: () => boss.stop({ graceful: true, close: false }),
  }
}
