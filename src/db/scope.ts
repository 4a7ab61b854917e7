import type { RawBuilder } from 'kysely'
import type { Cipher } from '../lib/cipher.ts'
import { permits } from '../lib/permissions.ts'
import { attach, detach, setLinks } from './attach.ts'
import { containing, type TextParts } from './contains.ts'
import { type Actor, type Context, queryRows, readRows, searchRows } from './context.ts'
import type { Database } from './engine/database.ts'
import { count, exists, find, get, linkedIds, lock, select } from './find.ts'
import { insert, insertMany, insertOnConflictDoNothing } from './insert.ts'
import { enqueue, type JobData, type Jobs, type Queue } from './jobs.ts'
import type { PageQuery } from './keyset.ts'
import type { Attachments, AttachmentsByOwner, Link, LinkChange } from './link.ts'
import { list, retrieve } from './list.ts'
import type { Versioned } from './marks.ts'
import type { Names } from './render/json-columns.ts'
import type { Rendered } from './render/rendered.ts'
import type { Rendering } from './render/rendering.ts'
import type { Resource } from './resource.ts'
import type { Filter, Table } from './select.ts'
import type { Columns, Exactly } from './tables.ts'
import { runTransaction, savepoint, type Transaction } from './transaction.ts'
import { remove, update, updateMany } from './update.ts'

/**
 * The database as one organization sees it, and nothing wider. A missing row and another organization's row are the same 404.
 * Every write honours `If-Match`, raises the version and adds a row to the history.
 */
export interface Scope {
  organizationId: string
  /** The names that the caller reads. */
  names: Names
  userId: string | null
  /** The id of the caller's API key. */
  keyId: string | null
  /** Whether the organization runs the whole server. */
  operator: boolean
  cipher: Cipher
  /** On whose behalf the scope acts: for work that goes on after the request. */
  actor: Actor
  /** Whether the caller's key permits what has this scope; with `agentId`, for this agent. */
  can(scope: string, agentId?: string): boolean

  // Reads: src/db/list.ts for responses, src/db/find.ts for values.

  /** One page, rendered by one statement. 404 for a cursor whose position isn't known. */
  list<Wire, T extends Table, Out = Wire>(
    resource: Resource<Wire, T>,
    page: PageQuery,
    filter?: Filter<T>,
    rendering?: Rendering<Out>,
  ): Promise<Rendered<Out[]>>
  /** One resource, rendered by one statement. 404. */
  retrieve<Wire, Out = Wire>(resource: Resource<Wire>, id: string, rendering?: Rendering<Out>): Promise<Rendered<Out>>
  /** One resource, or undefined. */
  find<Wire>(resource: Resource<Wire>, id: string): Promise<(Wire & Versioned) | undefined>
  /** One resource. 404. */
  get<Wire>(resource: Resource<Wire>, id: string): Promise<Wire & Versioned>
  /** 404 unless the organization has this row. */
  exists(table: Table, id: string): Promise<void>
  /** Locks a row until the transaction ends. 404, or 412 with the current ETag. */
  lock(resource: Resource, id: string): Promise<void>
  /** Every row that the filter keeps: for rows whose number their owner bounds. */
  select<Wire, T extends Table>(resource: Resource<Wire, T>, filter: Filter<T>): Promise<(Wire & Versioned)[]>
  /** The number of rows that the filter keeps. */
  count<T extends Table>(resource: Resource<unknown, T>, filter?: Filter<T>): Promise<number>
  /** A filter for the rows whose columns have these parts of a text, in any case, and that `filter` keeps. */
  containing<T extends Table>(
    table: T,
    parts: TextParts,
    filter: Filter<T>,
    signal: AbortSignal | undefined,
  ): Promise<Filter<T>>
  /** The ids attached to an owner, in the order in which they were attached. */
  linkedIds(link: Link, ownerId: string): Promise<string[]>
  /**
   * The rows of a statement whose costs its caller determines. It ends when the signal is aborted, and after ten seconds: 503.
   * It must name the organization, as in `query`.
   */
  search<Row>(statement: RawBuilder<Row>, signal: AbortSignal): Promise<Row[]>
  /** The rows of a statement of a resource's own that only reads and takes no locks. It must name the organization. */
  read<Row>(statement: RawBuilder<Row>): Promise<Row[]>
  /** The rows of any other statement of a resource's own, which must name the organization. */
  query<Row>(statement: RawBuilder<Row>): Promise<Row[]>

  // Writes: src/db/insert.ts, update.ts, attach.ts.

  /** Makes one resource, in a transaction if it gets attachments. 404, 409. */
  insert<Wire, T extends Table, V extends Columns<T>>(
    resource: Resource<Wire, T>,
    values: Exactly<Columns<T>, V>,
    attachments?: Attachments,
  ): Promise<Wire & Versioned>
  /** Makes resources, and returns them in the order given. As `insert`. */
  insertMany<Wire, T extends Table, V extends Columns<T>>(
    resource: Resource<Wire, T>,
    list: readonly Exactly<Columns<T>, V>[],
    attachments?: AttachmentsByOwner,
  ): Promise<(Wire & Versioned)[]>
  /** Makes those of these resources that violate no unique constraint, and returns them. */
  insertOnConflictDoNothing<Wire, T extends Table, V extends Columns<T>>(
    resource: Resource<Wire, T>,
    list: readonly Exactly<Columns<T>, V>[],
  ): Promise<(Wire & Versioned)[]>
  /** Changes the columns that the patch names; a patch that changes nothing writes nothing. 404, 409, 412. */
  update<Wire, T extends Table, V extends Columns<T>>(
    resource: Resource<Wire, T>,
    id: string,
    patch: Exactly<Columns<T>, V>,
    links?: LinkChange[],
  ): Promise<Wire & Versioned>
  /** Changes several resources by one statement, all in the same columns. */
  updateMany<T extends Table, V extends Columns<T> & { id: string }>(
    resource: Resource<unknown, T>,
    patches: readonly Exactly<Columns<T>, V>[],
  ): Promise<void>
  /** Deletes a resource and the rows that depend on it. 404, 412. */
  remove(resource: Resource, id: string): Promise<void>
  /** Attaches a resource to its owner. Returns false when it was attached already. 404. */
  attach(link: Link, ownerId: string, id: string): Promise<boolean>
  /** Detaches a resource from its owner. Returns false when it wasn't attached. */
  detach(link: Link, ownerId: string, id: string): Promise<boolean>
  /** Makes exactly these the attached resources. Pass the result to the owner's `update`. 404. */
  setLinks(link: Link, ownerId: string, ids: readonly string[]): Promise<LinkChange[]>

  // Transactions, background work, other scopes.

  /** Runs `work` in one transaction, and again after a serialization failure; inside a transaction, in that one. */
  transaction<T>(work: (scope: Scope) => Promise<T>): Promise<T>
  /** Runs `work` in a transaction that reads one state of the database and writes nothing. */
  snapshot<T>(work: (scope: Scope) => Promise<T>): Promise<T>
  /** Runs `work` in a transaction that has locked the row. 404, or 412 with the current ETag. */
  locking<T>(resource: Resource, id: string, work: (scope: Scope) => Promise<T>): Promise<T>
  /** Runs `work` so that the caller can go on after its failure. */
  savepoint<T>(work: () => Promise<T>): Promise<T>
  /**
   * Enqueues a job, in the transaction of the scope if it has one. Of the jobs with one key, one waits and one runs at most.
   */
  enqueue<Q extends Queue>(queue: Q, data: JobData[Q], key: string): Promise<void>
  /** Enqueues several jobs by one statement. */
  enqueueMany<Q extends Queue>(queue: Q, list: readonly { data: JobData[Q]; key: string }[]): Promise<void>
  /** The same caller in another organization. Throws unless the caller's organization is the operator. */
  asOrganization(organizationId: string): Scope
  /** The scope with a condition: its changes are 412 for rows of other versions. */
  withIfMatch(versions: readonly number[] | undefined): Scope
  /** The scope without the caller's `If-Match`: for changes that a change entails. */
  withoutIfMatch(): Scope
  /** The scope of an agent that acts for the caller by a call of a tool: history names the agent. */
  asAgent(author: AgentAuthor, ifMatch?: readonly number[]): Scope
}

/** An agent that acts for a caller, by a call of a tool. Without a run, the caller has called the tool. */
export interface AgentAuthor {
  agent_id: string
  run_id: string | null
  tool_call_id: string
}

/** What scopes are made from. */
export interface ScopeServices {
  database: Database
  cipher: Cipher
  /** Absent where no background work can be asked for. */
  jobs?: Jobs | undefined
}

/** The scope of an actor, inside a transaction if one is given. */
export function createScope(services: ScopeServices, actor: Actor, transaction?: Transaction): Scope {
  const context: Context = { ...services, actor, trx: transaction?.trx }
  const scope: Scope = {
    organizationId: actor.organizationId,
    names: actor.names ?? 'neutral',
    userId: actor.userId,
    keyId: actor.keyId,
    operator: actor.operator,
    cipher: services.cipher,
    actor: { ...actor, ifMatch: undefined },
    can: (needed, agentId) => permits(actor.scopes, needed, agentId),
    list: (...request) => list(context, ...request),
    retrieve: (...request) => retrieve(context, ...request),
    find: (resource, id) => find(context, resource, id),
    get: (resource, id) => get(context, resource, id),
    exists: (table, id) => exists(context, table, id),
    lock: (resource, id) => lock(context, resource, id),
    select: (resource, filter) => select(context, resource, filter),
    count: (resource, filter) => count(context, resource, filter),
    containing: (...request) => containing(context, ...request),
    linkedIds: (link, ownerId) => linkedIds(context, link, ownerId),
    read: (statement) => readRows(context, statement),
    query: (statement) => queryRows(context, statement),
    search: (statement, signal) => searchRows(context, statement, signal),
    insert: (resource, values, attachments) => insert(context, resource, values, attachments),
    insertMany: (resource, list, attachments) => insertMany(context, resource, list, attachments),
    insertOnConflictDoNothing: (resource, values) => insertOnConflictDoNothing(context, resource, values),
    update: (resource, id, patch, links) => update(context, resource, id, patch, links),
    updateMany: (resource, patches) => updateMany(context, resource, patches),
    remove: (resource, id) => remove(context, resource, id),
    attach: (link, ownerId, id) => attach(context, link, ownerId, id),
    detach: (link, ownerId, id) => detach(context, link, ownerId, id),
    setLinks: (link, ownerId, ids) => setLinks(context, link, ownerId, ids),
    transaction: (work) =>
      transaction ? work(scope) : runTransaction(services, (inner) => work(createScope(services, actor, inner))),
    snapshot: (work) =>
      runTransaction(services, (inner) => work(createScope(services, actor, inner)), { readOnly: true }),
    locking: (resource, id, work) =>
      scope.transaction(async (inner) => {
        await inner.lock(resource, id)
        return work(inner)
      }),
    savepoint: (work) => savepoint(context, work),
    enqueue: (queue, data, key) => scope.enqueueMany(queue, [{ data, key }]),
    enqueueMany: (queue, jobs) => enqueue(services.jobs, actor, transaction, queue, jobs),
    asOrganization: (organizationId) => createScope(services, asOrganization(actor, organizationId), transaction),
    withIfMatch: (ifMatch) => createScope(services, { ...actor, ifMatch }, transaction),
    withoutIfMatch: () => scope.withIfMatch(undefined),
    asAgent: (author, ifMatch) =>
      createScope(services, { ...actor, author: JSON.stringify(author), ifMatch }, transaction),
  }
  return scope
}

/** The actor in another organization: a user of none, whose rows must not name a user of the operator. */
function asOrganization(actor: Actor, organizationId: string): Actor {
  if (organizationId === actor.organizationId) return actor
  if (!actor.operator) throw new Error('Only the operating organization acts in another.')
  return { ...actor, organizationId, userId: null, ifMatch: undefined }
}
