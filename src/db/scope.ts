import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Cipher } from '../lib/cipher.ts'
import { type Actor, type Context, repeating, rowsOf } from './context.ts'
import type { Database } from './database.ts'
import { answerFor, undone } from './faults.ts'
import type { JobData, Jobs, Queue } from './jobs.ts'
import { createLinks } from './links.ts'
import type { Names } from './members.ts'
import { createReads, type Reads } from './reads.ts'
import type { Tables } from './tables.ts'
import { createWrites } from './writes.ts'

/**
 * The database as one organization sees it, and nothing wider. A missing row and another organization's are the same
 * 404. Every write honours `If-Match`, raises the version and adds a row to the history.
 */
export interface Scope extends Reads, ReturnType<typeof createWrites>, ReturnType<typeof createLinks> {
  organizationId: string
  /** The names the caller reads. */
  names: Names
  userId: string | null
  /** The caller's key. */
  keyId: string | null
  /** Whether the organization runs the whole server. */
  operator: boolean
  cipher: Cipher
  /** Whether the caller's key holds a right. */
  can(right: string): boolean
  /** Runs `work` in one transaction, again when it was the one to give way to another; inside one, in that same one. */
  transaction<T>(work: (scope: Scope) => Promise<T>): Promise<T>
  /**
   * Runs `work` whose failure the caller goes on from: inside a transaction, what `work` did is undone and the rest
   * stands.
   */
  attempt<T>(work: () => Promise<T>): Promise<T>
  /** The rows of a statement of a resource's own, which must name the organization. */
  query<Row>(statement: RawBuilder<Row>): Promise<Row[]>
  /**
   * Has `queue` do background work, once what the scope's transaction writes is there. Of jobs with one key one waits
   * and one runs at most.
   */
  enqueue<Q extends Queue>(queue: Q, data: JobData[Q], key: string): Promise<void>
  /** The same for several jobs, by one statement. */
  enqueueAll<Q extends Queue>(queue: Q, list: readonly { data: JobData[Q]; key: string }[]): Promise<void>
  /** The same caller in another organization: for the operating organization alone; any other gets an error. */
  within(organizationId: string): Scope
  /** The same without the caller's `If-Match`: for what a change brings along. */
  unconditional(): Scope
}

export interface Shared {
  database: Database
  cipher: Cipher
  /** Absent where no background work can be asked for. */
  jobs?: Jobs | undefined
}

/** A transaction, and the queues it has added work to. */
interface Open {
  trx: Kysely<Tables>
  queues: Set<Queue>
}

/** Runs `work` in a transaction of its own, and wakes the queues it has added work to. */
async function open<T>({ database, jobs }: Shared, work: (open: Open) => Promise<T>): Promise<T> {
  const queues = new Set<Queue>()
  const done = await repeating(() => database.transaction((trx) => work({ trx, queues })))
  for (const queue of queues) jobs?.wake(queue)
  return done
}

/** The scope of an actor; with `trx`, inside that transaction. */
export function createScope(shared: Shared, actor: Actor, trx?: Kysely<Tables>, queues = new Set<Queue>()): Scope {
  const context: Context = { database: shared.database, cipher: shared.cipher, actor, trx }
  const reads = createReads(context)
  const scope: Scope = {
    ...reads,
    ...createWrites(context, reads),
    ...createLinks(context, reads),
    organizationId: actor.organizationId,
    names: actor.names ?? 'neutral',
    userId: actor.userId,
    keyId: actor.keyId,
    operator: actor.operator,
    cipher: shared.cipher,
    can: (right) => actor.scopes.includes(right),
    transaction: (work) =>
      trx ? work(scope) : open(shared, (inner) => work(createScope(shared, actor, inner.trx, inner.queues))),
    async attempt(work) {
      if (!trx) return work()
      await sql`savepoint attempt`.execute(trx)
      try {
        const done = await work()
        await sql`release savepoint attempt`.execute(trx)
        return done
      } catch (error) {
        await sql`rollback to savepoint attempt`.execute(trx)
        throw undone(error) ? error : answerFor(error)
      }
    },
    query: (statement) => rowsOf(context, statement),
    enqueue: (queue, data, key) => scope.enqueueAll(queue, [{ data, key }]),
    async enqueueAll(queue, list) {
      const { jobs } = shared
      if (!jobs) throw new Error('Background work was asked for where none is done.')
      if (list.length === 0) return
      await jobs.add(trx, actor, queue, list)
      if (trx) queues.add(queue)
      else jobs.wake(queue)
    },
    within(organizationId) {
      if (organizationId === actor.organizationId) return scope
      if (!actor.operator) throw new Error('Only the operating organization acts in another.')
      // The caller is no user of that organization: its rows must not name one of ours.
      return createScope(shared, { ...actor, organizationId, userId: null, ifMatch: undefined }, trx, queues)
    },
    unconditional: () => createScope(shared, { ...actor, ifMatch: undefined }, trx, queues),
  }
  return scope
}
