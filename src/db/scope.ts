import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Cipher } from '../lib/cipher.ts'
import { type Actor, type Context, repeating, rowsOf } from './context.ts'
import type { Database } from './database.ts'
import { answerFor, undone } from './faults.ts'
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
  /** The same caller in another organization: for the operating organization alone; any other gets an error. */
  within(organizationId: string): Scope
  /** The same without the caller's `If-Match`: for what a change brings along. */
  unconditional(): Scope
}

/** The scope of an actor; with `trx`, inside that transaction. */
export function createScope(shared: { database: Database; cipher: Cipher }, actor: Actor, trx?: Kysely<Tables>): Scope {
  const context: Context = { ...shared, actor, trx }
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
      trx
        ? work(scope)
        : repeating(() => shared.database.transaction((inner) => work(createScope(shared, actor, inner)))),
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
    within(organizationId) {
      if (organizationId === actor.organizationId) return scope
      if (!actor.operator) throw new Error('Only the operating organization acts in another.')
      // The caller is no user of that organization: its rows must not name one of ours.
      return createScope(shared, { ...actor, organizationId, userId: null, ifMatch: undefined }, trx)
    },
    unconditional: () => createScope(shared, { ...actor, ifMatch: undefined }, trx),
  }
  return scope
}
