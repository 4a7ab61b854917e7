import { sql } from 'kysely'
import { type Context, rowsOf } from './context.ts'
import type { Reads } from './reads.ts'
import type { Link, LinkChange } from './resource.ts'
import { logged, stamp } from './writes.ts'

/** The verbs that attach one resource to another. The owner gets a new version and a row of the history. */
export function createLinks(context: Context, reads: Reads) {
  const { organizationId } = context.actor

  /** Attaches each of `ids` to the owner of the same place in `ownerIds`. */
  const insertRows = (link: Link, ownerIds: readonly string[], ids: readonly string[]) => {
    const target = sql.ref(link.targetColumn)
    const owner = sql.ref(link.ownerColumn)
    // A target that isn't there has nothing to carry: the foreign key then answers for it.
    const carried = link.carries
      ? sql`, coalesce((select ${sql.ref(link.carries.from)} from ${sql.table(link.carries.table)} as target
          where target.organization_id = ${organizationId} and target.id = given.id), '')`
      : sql``
    const carriedColumn = link.carries ? sql`, ${sql.ref(link.carries.column)}` : sql``
    return sql`insert into ${sql.table(link.table)} (organization_id, ${owner}, ${target}${carriedColumn})
      select ${organizationId}, given.owner, given.id${carried}
      from unnest(${ownerIds}::text[], ${ids}::text[]) with ordinality as given (owner, id, n) order by given.n
      on conflict (organization_id, ${owner}, ${target}) do nothing
      returning ${target} as id`
  }

  const change = (
    link: Link,
    ownerId: string,
    operation: 'link' | 'unlink',
    touched: ReturnType<typeof insertRows>,
  ) => {
    const ids = sql`(select jsonb_agg(id) from touched)`
    const none = sql`'[]'::jsonb`
    const [added, removed] = operation === 'link' ? [ids, none] : [none, ids]
    const links = sql`jsonb_build_array(
      jsonb_build_object('table', ${link.table}::text, 'added', ${added}, 'removed', ${removed}))`
    return sql`with touched as (${touched}), changed as (
        update ${sql.table(link.owner.table)} set ${stamp(context)}
        where organization_id = ${organizationId} and id = ${ownerId} and exists (select from touched) returning *
      ), ${logged(context, link.owner, operation, links)}
      select 1 from touched`
  }

  /** Attaches a resource to its owner. Returns false when it was attached already. 404 when either isn't there. */
  async function attach(link: Link, ownerId: string, id: string): Promise<boolean> {
    const rows = await rowsOf(context, change(link, ownerId, 'link', insertRows(link, [ownerId], [id])))
    return rows.length > 0
  }

  /** Detaches a resource from its owner. Returns false when it wasn't attached. */
  async function detach(link: Link, ownerId: string, id: string): Promise<boolean> {
    const removed = sql`delete from ${sql.table(link.table)} where organization_id = ${organizationId}
      and ${sql.ref(link.ownerColumn)} = ${ownerId} and ${sql.ref(link.targetColumn)} = ${id}
      returning ${sql.ref(link.targetColumn)} as id`
    return (await rowsOf(context, change(link, ownerId, 'unlink', removed))).length > 0
  }

  /**
   * Makes exactly these the attached ones, in this order. Call it inside a transaction that has locked or made the
   * owner, and give what it returns to the owner's `update`. 404 when one of them isn't there.
   */
  async function setLinks(link: Link, ownerId: string, ids: readonly string[]): Promise<LinkChange[]> {
    const wanted = [...new Set(ids)]
    const had = await reads.linkedIds(link, ownerId)
    if (had.join() === wanted.join()) return []
    const kept = link.keepsRows ? had.filter((id) => wanted.includes(id)) : []
    const added = wanted.filter((id) => !had.includes(id))
    const removed = had.filter((id) => !wanted.includes(id))
    if (link.keepsRows && added.length + removed.length === 0) return []
    await rowsOf(
      context,
      sql`delete from ${sql.table(link.table)} where organization_id = ${organizationId}
        and ${sql.ref(link.ownerColumn)} = ${ownerId} and ${sql.ref(link.targetColumn)} <> all(${kept}::text[])`,
    )
    await linkAll(link, new Map([[ownerId, wanted]]))
    return [{ table: link.table, added, removed }]
  }

  /** Attaches resources, in this order, to an owner made in this transaction, whose history already tells of them. */
  const link = (link: Link, ownerId: string, ids: readonly string[]) => linkAll(link, new Map([[ownerId, ids]]))

  /** The same for several owners at once, by one statement. */
  async function linkAll(link: Link, idsByOwner: ReadonlyMap<string, readonly string[]>): Promise<void> {
    const pairs = [...idsByOwner].flatMap(([owner, ids]) => [...new Set(ids)].map((id) => [owner, id] as const))
    if (pairs.length === 0) return
    await rowsOf(
      context,
      insertRows(
        link,
        pairs.map(([owner]) => owner),
        pairs.map(([, id]) => id),
      ),
    )
  }

  return { attach, detach, link, linkAll, setLinks }
}
