import { type RawBuilder, sql } from 'kysely'
import type { HostedProvider } from '../../embed/stores.ts'
import type { StoreHit } from '../../embed/vector-store.ts'
import { tagsMatch } from '../tags/filter.ts'

/** The tables that a search reads, and their columns. */
export interface Corpus {
  /** Texts with their words, and the column of the container that a text lies in. */
  texts: 'passages' | 'message_texts'
  container: 'container_id' | 'agent_id'
  /** Vectors of the texts, with a container, too, and the column of the text's id. */
  vectors: 'embeddings' | 'message_texts'
  textId: 'passage_id' | 'id'
  /** The beginning of the ids of containers that are searched where none is named. */
  prefix: 'archive-' | 'agent-'
}

/** Passages: of archives, or of the files of folders. */
export const PASSAGES: Corpus = {
  texts: 'passages',
  container: 'container_id',
  vectors: 'embeddings',
  textId: 'passage_id',
  prefix: 'archive-',
}

/** Which texts a search may find. */
export interface Filter {
  corpus: Corpus
  organizationId: string
  /** Archives and folders, or agents; undefined: all archives, or all agents. */
  containers: readonly string[] | undefined
  /** Conditions on text `p` of one corpus alone. */
  conditions: readonly RawBuilder<unknown>[]
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

/** Ids of one kind sort together, so that an index on containers finds all of them as one range. */
export const inContainers = (
  { corpus, containers }: Pick<Filter, 'corpus' | 'containers'>,
  row: 'e' | 'p',
  column = sql.ref(`${row}.${corpus.container}`),
) => (containers ? sql`${column} = any(${containers}::text[])` : sql`${column} like ${sql.lit(`${corpus.prefix}%`)}`)

/** The conditions on text `p` besides its organization and its container. */
export const narrowing = ({ tags, allTags, from, before, conditions }: Filter): RawBuilder<unknown>[] => [
  ...conditions,
  ...(tags.length > 0 ? [tagsMatch(tags, allTags ? 'all' : 'any', sql.ref('p.tags'))] : []),
  ...(from ? [sql`p.created_at >= ${from.toISOString()}::timestamptz`] : []),
  ...(before ? [sql`p.created_at < ${before.toISOString()}::timestamptz`] : []),
]

/** The condition that a search may find text `p`. */
export const allowed = (filter: Filter) =>
  and([sql`p.organization_id = ${filter.organizationId}`, inContainers(filter, 'p'), ...narrowing(filter)])

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
