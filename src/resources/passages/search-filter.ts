import { type RawBuilder, sql } from 'kysely'
import type { HostedProvider } from '../../embed/stores.ts'
import type { StoreHit } from '../../embed/vector-store.ts'
import { tagsMatch } from '../tags/filter.ts'

/** Which passages a search may find. */
export interface Filter {
  organizationId: string
  /** Archives and folders; undefined: all archives. */
  containers: readonly string[] | undefined
  tags: readonly string[]
  /** All of the tags, or any. */
  allTags: boolean
  from: Date | undefined
  before: Date | undefined
}

/** The hits of a hosted store, best first. */
export interface HostedHits {
  index: HostedProvider
  hits: readonly StoreHit[]
}

export const and = (conditions: readonly RawBuilder<unknown>[]) => sql<boolean>`${sql.join(conditions, sql` and `)}`

/** Ids of archives sort together, so that an index on containers finds all archives as one range. */
export const inContainers = (containers: readonly string[] | undefined, column: RawBuilder<unknown>) =>
  containers ? sql`${column} = any(${containers}::text[])` : sql`${column} like 'archive-%'`

/** The conditions on passage `p` besides its organization and its container. */
export const narrowing = ({ tags, allTags, from, before }: Filter): RawBuilder<unknown>[] => [
  ...(tags.length > 0 ? [tagsMatch(tags, allTags ? 'all' : 'any', sql.ref('p.tags'))] : []),
  ...(from ? [sql`p.created_at >= ${from.toISOString()}::timestamptz`] : []),
  ...(before ? [sql`p.created_at < ${before.toISOString()}::timestamptz`] : []),
]

/** The condition that a search may find passage `p`. */
export const allowed = (filter: Filter) =>
  and([
    sql`p.organization_id = ${filter.organizationId}`,
    inContainers(filter.containers, sql`p.container_id`),
    ...narrowing(filter),
  ])

/**
 * A join that looks `rows` up for each row before it. Without statistics the planner expects a filter to leave one row; then
 * any order and any index cost it the same, even a comparison of every row with every other.
 */
export const each = (rows: RawBuilder<unknown>) => sql`cross join lateral (${rows} offset 0)`

/** SQL of a table of a hosted store's hits, without those that the filter excludes. `score`: an expression over the score. */
export const hostedTable = (
  name: string,
  filter: Filter,
  { index, hits }: HostedHits,
  score: RawBuilder<unknown>,
) => sql`
  ${sql.table(name)} as (
    select hit.id, ${score}, ${index}::text as index, row_number() over (order by score desc, hit.id desc) as rank
    from unnest(${hits.map(({ id }) => id)}::text[], ${hits.map((hit) => hit.score)}::float8[]) as hit (id, score)
      ${each(sql`select organization_id, id, container_id, tags, created_at from passages
        where organization_id = ${filter.organizationId} and id = hit.id`)} p where ${allowed(filter)})`
