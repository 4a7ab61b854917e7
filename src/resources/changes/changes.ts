import { type RawBuilder, sql } from 'kysely'
import { type FirstRow, firstRows, pageOf } from '../../db/first-rows.ts'
import type { PageOf } from '../../db/marks.ts'
import { AUTHOR_COLUMNS } from '../../db/revisions.ts'
import type { Scope } from '../../db/scope.ts'
import { ApiError, notFound } from '../../lib/errors.ts'
import { omitNullFields } from '../../lib/json.ts'
import { type Change, KINDS, type ListChanges, MAX_SHOWN } from './schema.ts'

interface Row extends FirstRow, Omit<Change, 'fields' | 'attached' | 'detached'> {
  sequence: number
  fields: [name: string, before: unknown, after: unknown, truncated: true | null][]
  links: { added: string[]; removed: string[] }[] | null
}

/** Fields that every change of a resource sets. */
const ALWAYS_SET = ['id', 'created_at', 'updated_at', 'created_by_id', 'last_updated_by_id']

/** The kinds of resources that a list shows. 403 where the caller asks for one that its key may not read. */
function kindsOf(scope: Scope, { kind, resource_id }: ListChanges) {
  const requested = resource_id === undefined ? kind : [resource_id.slice(0, -37)]
  const known = KINDS.filter(([{ prefix }]) => requested?.includes(prefix) ?? true)
  const denied = requested && known.find(([, needed]) => !scope.can(needed))
  if (denied) throw new ApiError('forbidden', `This key lacks the scope "${denied[1]}".`)
  const wanted = known.filter(([{ prefix }, needed]) => scope.can(needed) && (kind?.includes(prefix) ?? true))
  return wanted.map(([{ prefix, columns, unlogged = [] }]) => {
    const shown = columns.filter((column) => ![...ALWAYS_SET, ...unlogged].includes(column))
    return { prefix, places: Object.fromEntries(shown.map((column, place) => [column, place])) }
  })
}

/** SQL of the author in a row of the history, by the prefix of the author's id. The indexes have these expressions. */
const AUTHORS: Record<string, RawBuilder<unknown>> = {
  api_key: sql`user_id is not null and key_id collate "C"`,
  user: sql`user_id collate "C"`,
  agent: sql`(author ->> 'agent_id') collate "C"`,
  run: sql`(author ->> 'run_id') collate "C"`,
}

/** The place of a change in the order of all changes. 404 for an unknown one. */
async function positionOf(scope: Scope, change: string | undefined) {
  if (change === undefined) return undefined
  const [id, version] = change.split(':') as [string, string]
  const [row] = await scope.read<{ created_at: string; sequence: number }>(sql`
    select created_at, sequence from revisions
    where organization_id = ${scope.organizationId} and resource_id = ${id} and version = ${version}::bigint`)
  if (!row) throw notFound('change', change)
  return sql`(${row.created_at}::timestamptz, ${row.sequence}::bigint)`
}

/** Conditions that keep the changes of a list, in a table `revisions`. */
async function conditionsOf(scope: Scope, query: ListChanges) {
  const { resource_id, actor_id, operation, created_after, created_before, after, before, order } = query
  const [following, preceding] = [await positionOf(scope, after), await positionOf(scope, before)]
  const [newerThan, olderThan] = order === 'asc' ? [following, preceding] : [preceding, following]
  const conditions = [
    sql`organization_id = ${scope.organizationId} and revisions.kind = wanted.kind`,
    resource_id !== undefined && sql`resource_id = ${resource_id}`,
    actor_id !== undefined && sql`${AUTHORS[actor_id.slice(0, -37)]!} = ${actor_id}`,
    operation && sql`operation = any(${operation}::text[])`,
    created_after !== undefined && sql`created_at >= ${created_after}::timestamptz`,
    created_before !== undefined && sql`created_at < ${created_before}::timestamptz`,
    newerThan && sql`(created_at, sequence) > ${newerThan}`,
    olderThan && sql`(created_at, sequence) < ${olderThan}`,
  ]
  return sql.join(
    conditions.filter((one) => one !== false && one !== undefined),
    sql` and `,
  )
}

const shortened = (value: RawBuilder<unknown>) =>
  sql`case when length(${value}::text) <= ${MAX_SHOWN} then ${value} else to_json(left(${value} #>> '{}', ${MAX_SHOWN})) end`

/** The fields that differ between two rows of the history, in the order of their `places`. */
const DIFFERENCES = sql`(
  select coalesce(json_agg(json_build_array(name, ${shortened(sql`before`)}, ${shortened(sql`after`)},
    nullif(greatest(length(before::text), length(after::text)) > ${MAX_SHOWN}, false)) order by (places -> name)::int), '[]')
  from (
    select name, nullif(old.value::text, 'null')::json as before, nullif(new.value::text, 'null')::json as after
    from json_each(row_before) as old (name, value) full join json_each(row_after) as new (name, value) using (name)
  ) as field where before::text is distinct from after::text and jsonb_exists(places, name))`

/** The name of the changed resource. */
const NAME = sql`left(coalesce(${sql.join(
  ['name', 'label', 'server_name', 'file_name', 'key'].map((field) => sql`resource ->> ${sql.lit(field)}`),
)}), 500)`

const toChange = ({ fields, links, sequence: _sequence, found: _found, ...row }: Row): Change => ({
  ...omitNullFields(row),
  fields: fields.map(([name, before, after, truncated]) => ({ name, ...omitNullFields({ before, after, truncated }) })),
  attached: (links ?? []).flatMap(({ added }) => added),
  detached: (links ?? []).flatMap(({ removed }) => removed),
})

/**
 * Changes of the resources that the caller's key may read, newest first unless `order` is `asc`. A change is in the list once it
 * is committed, at the place of the instant at which its transaction began. A page of large changes has fewer of them than `limit`.
 * 403 for a kind that the key may not read; 404 for an unknown cursor.
 */
export async function listChanges(scope: Scope, query: ListChanges): Promise<PageOf<Change>> {
  const { limit = 50, order = 'desc', after, before } = query
  const kinds = kindsOf(scope, query)
  const places = JSON.stringify(Object.fromEntries(kinds.map((kind) => [kind.prefix, kind.places])))
  const backward = before !== undefined && after === undefined
  const direction = (order === 'asc') === backward ? sql`desc` : sql`asc`
  const sorted = sql`order by created_at ${direction}, sequence ${direction}`
  // One look into the index for each kind: a filter of rare changes doesn't read the others.
  const rows = await scope.read<Row>(sql`
    with page as (
      select found.* from unnest(${kinds.map(({ prefix }) => prefix)}::text[]) as wanted (kind), lateral (
        select created_at, sequence from revisions where ${await conditionsOf(scope, query)}
        ${sorted} limit ${limit + 1}) as found
      ${sorted} limit ${limit + 1}
    ), compared as (
      select revisions.*, former.resource as former, revisions.bytes + coalesce(former.bytes, 0) as bytes_read
      from page join revisions using (created_at, sequence) left join lateral (
        select older.resource, older.bytes from revisions as older where older.organization_id = ${scope.organizationId}
          and older.resource_id = revisions.resource_id and older.version < revisions.version
        order by older.version desc limit 1) as former on operation not in ('create', 'delete')
      where revisions.organization_id = ${scope.organizationId}
    ), changed as (
      select *, case operation when 'create' then '{}' when 'delete' then resource else coalesce(former, resource) end as row_before,
        case operation when 'delete' then '{}' else resource end as row_after, ${places}::jsonb -> kind as places
      from (${firstRows(sql`compared`, sorted)}) as read
    )
    select resource_id || ':' || version as id, kind, resource_id, version, operation, created_at, sequence, ${AUTHOR_COLUMNS},
      links, ${NAME} as resource_name, ${DIFFERENCES} as fields, found
    from changed ${sorted}`)
  return pageOf(rows, limit, backward, toChange)
}
