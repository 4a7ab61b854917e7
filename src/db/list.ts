import { CompiledQuery, sql } from 'kysely'
import { type Context, filteredRows, notFoundFor, readRows } from './context.ts'
import type { Values } from './engine/statement-cache.ts'
import { exists } from './find.ts'
import { type Keyset, keysetOf, type PageQuery } from './keyset.ts'
import { oneStatement, type RenderedRow, renderOne } from './render/one.ts'
import { pageColumns, pageStatement, type RenderedBatch, renderPage } from './render/page.ts'
import type { Rendered } from './render/rendered.ts'
import type { Rendering } from './render/rendering.ts'
import type { Resource } from './resource.ts'
import { type Filter, selectOwned, type Table } from './select.ts'

/** The statement of a page: the rows of the organization that the filter keeps, between the cursors, rendered. */
function buildPage<T extends Table>(
  { database: { kysely } }: Context,
  resource: Resource<unknown, T>,
  keyset: Keyset,
  filter: Filter<T> | undefined,
  rendering: Rendering,
  values: Values,
) {
  const { table } = resource
  const { orderBy, where, fetchLimit } = keyset.build(values)
  const rendered = rendering.build(values.organizationId)
  const bytes = sql.join([resource.bytes, ...(rendered.bytes ?? [])], sql` + `)
  const owned = selectOwned(kysely, table, values.organizationId)
    .selectAll(table as never)
    .select(() => pageColumns(orderBy, bytes) as never) as ReturnType<typeof selectOwned<T>>
  const filtered = filter ? filter(owned) : owned
  const bounded = where.reduce((query, condition) => query.where(condition), filtered)
  const rows = bounded.orderBy(orderBy as never).limit(fetchLimit)
  return pageStatement(table, values.limit, keyset.backward, rows, rendered)
}

/** Names a filter that holds no value of the request; undefined for any other filter. */
function filterKey<T extends Table>({ database }: Context, table: T, filter: Filter<T> | undefined) {
  if (!filter || filter.cacheKey) return filter?.cacheKey ?? ''
  // A filter whose conditions are all absent returns the query as it was.
  const query = selectOwned(database.kysely, table, '')
  return filter(query).toOperationNode() === query.toOperationNode() ? '' : undefined
}

/**
 * One page of the organization's rows that the filter keeps, rendered by one statement. `rendering` replaces the resource's
 * own. 404 for a cursor whose position isn't known.
 */
export async function list<Wire, T extends Table, Out = Wire>(
  context: Context,
  resource: Resource<Wire, T>,
  page: PageQuery,
  filter?: Filter<T>,
  rendering?: Rendering<Out>,
): Promise<Rendered<Out[]>> {
  const { database, actor } = context
  const chosen = rendering ?? resource.rendering[actor.names ?? 'neutral']
  const keyset = keysetOf(resource, page)
  const values = { organizationId: actor.organizationId, ...keyset.values }
  const build = (given: Values) => buildPage(context, resource, keyset, filter, chosen, given)
  const key = filterKey(context, resource.table, filter)
  const statement =
    key === undefined
      ? build(values)
      : database.statements.compile(resource, `list ${chosen.cacheKey} ${keyset.cacheKey} ${key}`, values, build)
  const batches = await filteredRows<RenderedBatch>(context, statement, filter?.signal)
  const rendered = renderPage<Out>(batches, keyset, chosen)
  // An item shows that the positions of the cursors were known.
  if (rendered.isEmpty) for (const cursor of keyset.cursors) await exists(context, resource.table, cursor)
  return rendered
}

/**
 * One resource, rendered by one statement. `rendering` replaces the resource's own. 404 when the organization has none with
 * this id.
 */
export async function retrieve<Wire, Out = Wire>(
  context: Context,
  resource: Resource<Wire>,
  id: string,
  rendering?: Rendering<Out>,
): Promise<Rendered<Out>> {
  const { database, actor } = context
  const own = resource.rendering[actor.names ?? 'neutral']
  const values = { organizationId: actor.organizationId, id }
  const statement = rendering
    ? database.statements.compile(resource, `retrieve ${rendering.cacheKey}`, values, (given) =>
        oneStatement(resource.table, given.organizationId, given.id, rendering.build(given.organizationId)),
      )
    : CompiledQuery.raw(own.selectOne, [actor.organizationId, id])
  const [row] = await readRows<RenderedRow>(context, statement)
  if (!row) throw notFoundFor(id)
  return renderOne(row, { composed: own.composed, ...rendering })
}
