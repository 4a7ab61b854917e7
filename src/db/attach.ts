import { type RawBuilder, sql } from 'kysely'
import { type Context, queryRows } from './context.ts'
import { linkedIds } from './find.ts'
import type { Link, LinkChange } from './link.ts'
import { insertRevision, touchColumns } from './revisions.ts'

/** The clock in microseconds: it orders attachments, on every server of a distributed database alike. */
const microseconds = () => Math.round((performance.timeOrigin + performance.now()) * 1000)

/** Inserts the join rows of pairs (owner, target). A pair that exists already stays as it is. */
function insertLinks({ actor }: Context, link: Link, pairs: readonly (readonly [owner: string, id: string])[]) {
  const { organizationId } = actor
  const ownerIds = pairs.map(([owner]) => owner)
  const ids = pairs.map(([, id]) => id)
  const owner = sql.ref(link.ownerColumn)
  const target = sql.ref(link.targetColumn)
  const { carries } = link
  // The targets stay locked, so that the carried column can't change meanwhile. The foreign key refuses the row of a
  // missing target, which carries its id.
  const carried = carries && {
    column: sql`, ${sql.ref(carries.column)}`,
    value: sql`, coalesce(target.carried, id)`,
    join: sql`left join (
      select id, ${sql.ref(carries.from)} as carried from ${sql.table(carries.table)}
      where organization_id = ${organizationId} and id = any(${ids}::text[]) order by id for share
    ) as target using (id)`,
  }
  return sql`insert into ${sql.table(link.table)} (organization_id, ${owner}, ${target}, position${carried?.column ?? sql``})
    select ${organizationId}, pair.owner, id, ${microseconds()}::bigint + pair.n${carried?.value ?? sql``}
    from unnest(${ownerIds}::text[], ${ids}::text[]) with ordinality as pair (owner, id, n) ${carried?.join ?? sql``}
    on conflict (organization_id, ${owner}, ${target}) do nothing
    returning ${target} as id`
}

/** Runs a change of join rows, and gives the owner a new version and a history row if any join row changed. */
function changeLinks(
  context: Context,
  link: Link,
  ownerId: string,
  operation: 'link' | 'unlink',
  change: RawBuilder<unknown>,
): Promise<unknown[]> {
  const ids = sql`(select jsonb_agg(id) from touched)`
  const none = sql`'[]'::jsonb`
  const [added, removed] = operation === 'link' ? [ids, none] : [none, ids]
  const links = sql`jsonb_build_array(
    jsonb_build_object('table', ${link.table}::text, 'added', ${added}, 'removed', ${removed}))`
  return queryRows(
    context,
    sql`with touched as (${change}), changed as (
        update ${sql.table(link.owner.table)} set ${touchColumns(context.actor)}
        where organization_id = ${context.actor.organizationId} and id = ${ownerId} and exists (select from touched)
        returning *
      ), ${insertRevision(context.actor, link.owner, operation, links)}
      select 1 from touched`,
    link.conflicts,
  )
}

/** Attaches a resource to its owner. Returns false when it was attached already. 404 when either doesn't exist. */
export async function attach(context: Context, link: Link, ownerId: string, id: string): Promise<boolean> {
  const rows = await changeLinks(context, link, ownerId, 'link', insertLinks(context, link, [[ownerId, id]]))
  return rows.length > 0
}

/** Detaches a resource from its owner. Returns false when it wasn't attached. */
export async function detach(context: Context, link: Link, ownerId: string, id: string): Promise<boolean> {
  const target = sql.ref(link.targetColumn)
  const removal = sql`delete from ${sql.table(link.table)} where organization_id = ${context.actor.organizationId}
    and ${sql.ref(link.ownerColumn)} = ${ownerId} and ${target} = ${id} returning ${target} as id`
  return (await changeLinks(context, link, ownerId, 'unlink', removal)).length > 0
}

/**
 * Makes exactly these the attached resources, in this order. Call this function in a transaction that has locked or made
 * the owner, and pass its result to the owner's `update`. 404 when one of the resources doesn't exist.
 */
export async function setLinks(
  context: Context,
  link: Link,
  ownerId: string,
  ids: readonly string[],
): Promise<LinkChange[]> {
  const wanted = [...new Set(ids)]
  const current = await linkedIds(context, link, ownerId)
  if (current.join() === wanted.join()) return []
  const kept = link.keepsRows ? current.filter((id) => wanted.includes(id)) : []
  const added = wanted.filter((id) => !current.includes(id))
  const removed = current.filter((id) => !wanted.includes(id))
  if (link.keepsRows && added.length + removed.length === 0) return []
  await queryRows(
    context,
    sql`delete from ${sql.table(link.table)} where organization_id = ${context.actor.organizationId}
      and ${sql.ref(link.ownerColumn)} = ${ownerId} and ${sql.ref(link.targetColumn)} <> all(${kept}::text[])`,
  )
  await linkMany(context, link, new Map([[ownerId, wanted]]))
  return [{ table: link.table, added, removed }]
}

/**
 * Attaches resources, in this order, to owners that this transaction has made and whose history already names the
 * attachments. One statement for all owners.
 */
export async function linkMany(
  context: Context,
  link: Link,
  idsByOwner: ReadonlyMap<string, readonly string[]>,
): Promise<void> {
  const pairs = [...idsByOwner].flatMap(([owner, ids]) => [...new Set(ids)].map((id) => [owner, id] as const))
  if (pairs.length > 0) await queryRows(context, insertLinks(context, link, pairs), link.conflicts)
}
