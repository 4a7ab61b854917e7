import { type RawBuilder, sql } from 'kysely'
import { instantOf, newId } from '../lib/ids.ts'
import { compileOnce } from './compiled-once.ts'
import { type Context, changeRow, checkMatch, encode, mine, missing, rowsOf, toWire, type Values } from './context.ts'
import { piecesOf } from './pieces.ts'
import type { Reads } from './reads.ts'
import { type LinkChange, type Resource, VERSION, type Versioned } from './resource.ts'

/** What every change of a row sets besides. `updated_at` doesn't go back, though a clock may that was put right. */
export const stamp = ({ actor }: Context, now = new Date().toISOString()) =>
  sql`version = version + 1, updated_at = greatest(updated_at, ${now}),
    last_updated_by_id = ${actor.userId}`

/** The history row of each row of the statement's `changed`, as it was left. */
export function logged(
  { actor }: Context,
  resource: Resource,
  operation: 'create' | 'update' | 'delete' | 'link' | 'unlink',
  links?: RawBuilder<unknown>,
) {
  // The row a delete leaves behind is its last version; that it went is the next.
  const version = operation === 'delete' ? sql`version + 1` : sql`version`
  const unlogged = sql.raw((resource.unlogged ?? []).map((column) => ` - '${column}'`).join(''))
  return sql`logged as (
    insert into revisions
      (organization_id, kind, resource_id, version, operation, key_id, user_id, request_id, resource, links)
    select organization_id, ${sql.lit(resource.prefix)}, id, ${version}, ${sql.lit(operation)}, ${actor.keyId}, ${actor.userId},
      ${actor.requestId}, to_jsonb(changed)${unlogged}, ${links ?? sql`null`}::jsonb
    from changed)`
}

/** What resources get attached when they are made: all of them the same, or each by its id. */
type Links = LinkChange[] | ReadonlyMap<string, LinkChange[]>

/** The protocol numbers the parameters of a statement with 16 bits. */
const MAX_PARAMETERS = 65_000

/** As many rows as are sent as parameters in any case. */
const FEW = 20

/** The verbs that write. Each is one statement: the change, its version check, and its row of the history. */
export function createWrites(context: Context, reads: Reads) {
  const { actor } = context
  const accepted = actor.ifMatch && [...actor.ifMatch]
  const matching = accepted ? sql`and version = any(${accepted}::int[])` : sql``

  /** What the rows of a statement's `changed` get attached, for the history: all of them the same, or each by its id. */
  const noted = (links: Links) => {
    if (!Array.isArray(links)) return sql`(${JSON.stringify(Object.fromEntries(links))}::jsonb -> id)`
    return links.length > 0 ? sql`${JSON.stringify(links)}` : undefined
  }

  /** The rows of new resources: an id is made unless it is given. */
  const newRows = (resource: Resource, list: Values[]) =>
    list.map((values): Values => {
      const id = (values.id as string | undefined) ?? newId(resource.prefix)
      // The instant inside the id, so that a cursor's place is known when its row is gone.
      const now = (instantOf(id) ?? new Date()).toISOString()
      const by = { created_by_id: actor.userId, last_updated_by_id: actor.userId }
      return { ...values, id, organization_id: actor.organizationId, created_at: now, updated_at: now, ...by }
    })

  /** Where the values of new rows come from, by as few statements as there may be. */
  function* sourcesOf({ table }: Resource, rows: Values[], columns: readonly string[]): Generator<RawBuilder<unknown>> {
    // Many rows travel as JSON: a statement with a parameter for every value would be another one for every number of rows.
    if (rows.length > FEW && rows.every((row) => columns.every((column) => row[column] !== undefined))) {
      const refs = sql.join(columns.map((column) => sql.ref(column)))
      for (const piece of piecesOf(rows)) {
        yield sql`select ${refs} from jsonb_populate_recordset(null::${sql.table(table)}, ${piece}::jsonb)`
      }
      return
    }
    const cell = (value: unknown) => (value === undefined ? sql`default` : encode(value))
    const most = Math.floor(MAX_PARAMETERS / columns.length)
    for (let at = 0; at < rows.length; at += most) {
      const some = rows.slice(at, at + most)
      yield sql`values ${sql.join(some.map((row) => sql`(${sql.join(columns.map((column) => cell(row[column])))})`))}`
    }
  }

  /** Inserts rows with their history, by as few statements as there may be. */
  async function insertRows(resource: Resource, rows: Values[], links: Links, conflict = sql``): Promise<Values[]> {
    const columns = [...new Set(rows.flatMap((row) => Object.keys(row).filter((key) => row[key] !== undefined)))]
    const inserted: Values[] = []
    for (const source of sourcesOf(resource, rows, columns)) {
      const made = await rowsOf(
        context,
        sql`with changed as (
          insert into ${sql.table(resource.table)} (${sql.join(columns.map((column) => sql.ref(column)))})
          ${source} ${conflict} returning *
        ), ${logged(context, resource, 'create', noted(links))}
        select ${resource.fields}, version from changed as ${sql.table(resource.table)}`,
      )
      for (const row of made) inserted.push(row)
    }
    return inserted
  }

  /** Makes resources, in the order given. `links` is what they get attached next. */
  async function insertAll<Wire>(
    resource: Resource<Wire>,
    list: Values[],
    links: Links = [],
  ): Promise<(Wire & Versioned)[]> {
    if (list.length === 0) return []
    const rows = newRows(resource, list)
    const byId = new Map((await insertRows(resource, rows, links)).map((row) => [row.id, row]))
    return rows.map((row) => toWire<Wire>(byId.get(row.id)!))
  }

  /**
   * Makes those of these resources that no rule of uniqueness forbids, and returns them. Another caller who is making the
   * same one is waited for, so that one of the two makes it. Callers who make several name them in the same order.
   */
  async function insertMissing<Wire>(resource: Resource<Wire>, list: Values[]): Promise<(Wire & Versioned)[]> {
    if (list.length === 0) return []
    const made = await insertRows(resource, newRows(resource, list), [], sql`on conflict do nothing`)
    return made.map((row) => toWire<Wire>(row))
  }

  /** Makes one resource. */
  async function insert<Wire>(
    resource: Resource<Wire>,
    values: Values,
    links: LinkChange[] = [],
  ): Promise<Wire & Versioned> {
    return (await insertAll(resource, [values], links))[0]!
  }

  /** What a conditional write that found no row means: 404, 412, or the resource as it is, needing no change. */
  async function unchanged<Wire>(resource: Resource<Wire>, id: string): Promise<Wire & Versioned> {
    const row = await reads.get(resource, id)
    checkMatch(context, row[VERSION]!)
    return row
  }

  /**
   * Changes the given fields, `undefined` ones excepted, and no others: writers of different fields don't undo each
   * other. A patch that changes nothing writes nothing. `links` are attachments changed before in this transaction;
   * they make a new version by themselves. 404, or 412 with the current ETag.
   */
  async function update<Wire>(
    resource: Resource<Wire>,
    id: string,
    patch: Values,
    links: LinkChange[] = [],
  ): Promise<Wire & Versioned> {
    const columns = Object.keys(patch).filter((column) => patch[column] !== undefined)
    if (columns.length === 0 && links.length === 0) return unchanged(resource, id)
    const values = columns.map((column) => encode(patch[column]))
    const now = new Date().toISOString()
    const note = links.length > 0 ? JSON.stringify(links) : undefined
    const statement = compileOnce(
      resource,
      ['update', ...columns],
      [actor.organizationId, id, actor.userId, actor.keyId, actor.requestId, now, accepted, note, ...values],
      () => {
        const each = (relation: RawBuilder<unknown>) =>
          columns.map((column, n) => sql`${sql.ref(column)} ${relation} ${values[n]}`)
        return sql`with changed as (
          update ${sql.table(resource.table)} set ${sql.join([...each(sql`=`), stamp(context, now)])}
          where ${mine(context, resource.table, id)} ${matching}
            ${note ? sql`` : sql`and (${sql.join(each(sql`is distinct from`), sql` or `)})`}
          returning *
        ), ${logged(context, resource, 'update', note ? sql`${note}` : undefined)}
        select ${resource.fields}, version from changed as ${sql.table(resource.table)}`
      },
    )
    const row = await changeRow(context, statement)
    return row ? toWire<Wire>(row) : unchanged(resource, id)
  }

  /**
   * Changes several resources by one statement, each in the same fields. Those that would stay as they are get no new
   * version, and ids the organization doesn't have are passed over.
   */
  async function updateAll(resource: Resource, patches: (Values & { id: string })[]): Promise<void> {
    if (patches.length === 0) return
    const table = sql.table(resource.table)
    const columns = Object.keys(patches[0]!).filter((column) => column !== 'id')
    const of = (source: string) => sql.join(columns.map((column) => sql.ref(`${source}.${column}`)))
    await rowsOf(
      context,
      sql`with given as (
        select * from jsonb_populate_recordset(null::${table}, ${JSON.stringify(patches)}::jsonb)
      ), held as (
        select id from ${table} where organization_id = ${actor.organizationId} and id in (select id from given)
        order by id for update
      ), changed as (
        update ${table} set
          ${sql.join(columns.map((column) => sql`${sql.ref(column)} = patch.${sql.ref(column)}`))}, ${stamp(context)}
        from (select id as row_id, ${of('given')} from given where id in (select id from held)) as patch
        where ${table}.organization_id = ${actor.organizationId} and ${table}.id = patch.row_id
          and (${of(resource.table)}) is distinct from (${of('patch')})
        returning ${table}.*
      ), ${logged(context, resource, 'update')}
      select 1 from changed`,
    )
  }

  /** Deletes a resource and, by the schema's cascades, what hangs on it. 404, or 412 with the current ETag. */
  async function remove(resource: Resource, id: string): Promise<void> {
    const rows = await rowsOf(
      context,
      sql`with changed as (
        delete from ${sql.table(resource.table)} where ${mine(context, resource.table, id)} ${matching} returning *
      ), ${logged(context, resource, 'delete')}
      select 1 from changed`,
    )
    if (rows.length === 0) await unchanged(resource, id)
  }

  /** Holds a row until the transaction ends. 404, or 412 with the current ETag. */
  async function lock(resource: Resource, id: string): Promise<void> {
    const [row] = await rowsOf<{ version: number }>(
      context,
      sql`select version from ${sql.table(resource.table)} where ${mine(context, resource.table, id)} for update`,
    )
    if (!row) throw missing(resource, id)
    checkMatch(context, row.version)
  }

  return { insertAll, insertMissing, insert, update, updateAll, remove, lock }
}
