import { type RawBuilder, sql } from 'kysely'
import type { HostedProvider } from '../../embed/stores.ts'
import type { StoreHit } from '../../embed/vector-store.ts'
import { depthOf, EXACT_SCAN_LIMIT, FUSION } from '../../lib/ranking.ts'
import { tagsMatch } from '../tags/filter.ts'

/** The SQL of a search: one statement, whose parts are the ways to find passages and what is made of them. */

/** Which passages may be found. */
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

/** What a hosted store has found, best first. */
export interface HostedHits {
  index: HostedProvider
  hits: readonly StoreHit[]
}

/** What is looked for by the vectors of one model. */
export interface QueryVector {
  /** See modelKey. */
  model: string
  /** How callers know the model. */
  name: string
  /** The archives and folders the model answers for; undefined: all archives it does. */
  containers: readonly string[] | undefined
  vector: readonly number[]
  /** Absent: it is looked for here. */
  found?: HostedHits | undefined
}

export interface SearchQuery {
  filter: Filter
  vectors: readonly QueryVector[]
  /** Looked for by words; absent: not at all. */
  words: string | undefined
  /** What was found by the words; absent: it is looked for here. */
  wordsFound: HostedHits | undefined
  limit: number
  /** Up to how many candidates are compared one by one rather than by an index. */
  few: number
}

/** The dimensions with an index, and the type it holds: see migrations. */
const INDEXED: Readonly<Record<number, 'vector' | 'halfvec'>> = {
  256: 'vector',
  384: 'vector',
  512: 'vector',
  768: 'vector',
  1024: 'vector',
  1536: 'vector',
  2560: 'halfvec',
  3072: 'halfvec',
}

const and = (conditions: readonly RawBuilder<unknown>[]) => sql<boolean>`${sql.join(conditions, sql` and `)}`

/** Ids of archives sort together, so that an index on containers finds all archives as one range. */
const lyingIn = (containers: readonly string[] | undefined, column: RawBuilder<unknown>) =>
  containers ? sql`${column} = any(${containers}::text[])` : sql`${column} like 'archive-%'`

/** What a passage `p` must have, besides where it lies. */
const narrowing = ({ tags, allTags, from, before }: Filter): RawBuilder<unknown>[] => [
  ...(tags.length > 0 ? [tagsMatch(tags, allTags ? 'all' : 'any', sql.ref('p.tags'))] : []),
  ...(from ? [sql`p.created_at >= ${from.toISOString()}::timestamptz`] : []),
  ...(before ? [sql`p.created_at < ${before.toISOString()}::timestamptz`] : []),
]

/** The passages `p` that may be found. */
export const allowed = (filter: Filter) =>
  and([
    sql`p.organization_id = ${filter.organizationId}`,
    lyingIn(filter.containers, sql`p.container_id`),
    ...narrowing(filter),
  ])

/**
 * A join that looks its rows up for each row before it. Where a filter seems to leave one row, as it does without
 * statistics, any order and any index cost the planner the same, also those that compare every row with every other.
 */
const each = (rows: RawBuilder<unknown>) => sql`cross join lateral (${rows} offset 0)`

/** Those of a store's hits that may be found, of whatever the store still has. */
const among = (filter: Filter, { hits }: HostedHits) => sql`
  unnest(${hits.map(({ id }) => id)}::text[], ${hits.map(({ score }) => score)}::float8[]) as hit (id, score)
  ${each(sql`select organization_id, id, container_id, tags, created_at from passages
    where organization_id = ${filter.organizationId} and id = hit.id`)} p where ${allowed(filter)}`

/**
 * The nearest passages by the vectors of one model, as tables whose names end in `n`; the last one is `vector_n`.
 *
 * An HNSW index knows nothing of organizations, tags and dates: it gives the nearest vectors of all, and a filter keeps
 * what is allowed. Where that is rare, little is left. So the candidates are counted, up to a bound: few are compared
 * one by one, which is exact; of many, the index gives the nearest, and if it gives fewer than are asked for, all are
 * compared after all.
 */
function byVectors(n: number, asked: SearchQuery, several: boolean): RawBuilder<unknown>[] {
  const { filter, few, limit } = asked
  const { model, containers, vector, found } = asked.vectors[n]!
  if (found) {
    return [
      sql`${sql.table(`vector_${n}`)} as (
        select hit.id, 1 - score as distance, ${found.index}::text as index,
          row_number() over (order by score desc, hit.id desc) as rank
        from ${among(filter, found)})`,
    ]
  }
  const [candidates, near, state, exact] = ['candidates', 'near', 'state', 'exact'].map((name) =>
    sql.table(`${name}_${n}`),
  )
  const question = sql`(select ${sql.ref(`vector_${n}`)} from asked)`
  const depth = sql.lit(depthOf(limit))
  const ownBy = (row: 'e' | 'p') =>
    and([
      sql`${sql.ref(`${row}.organization_id`)} = ${filter.organizationId}`,
      lyingIn(containers, sql.ref(`${row}.container_id`)),
      // While an archive changes from one of the models to another, it has vectors of both.
      ...(containers || !several
        ? []
        : [
            sql`exists (select from archives a where a.organization_id = ${sql.ref(`${row}.organization_id`)}
              and a.id = ${sql.ref(`${row}.container_id`)}
              and embedding_model(coalesce(a.serving_config, a.embedding_config)) = ${model})`,
          ]),
    ])
  const own = sql`e.model = ${model} and ${ownBy('e')}`
  const narrow = narrowing(filter)
  /** The vector of a passage `of`. */
  const vectorOf = (of: RawBuilder<unknown>) =>
    sql`${each(sql`select * from embeddings where organization_id = ${filter.organizationId}
      and container_id = ${of}.container_id and passage_id = ${of}.id and model = ${model}`)} e`
  const kept =
    narrow.length > 0
      ? sql`passages p ${vectorOf(sql`p`)} where ${ownBy('p')} and ${and(narrow)}`
      : sql`embeddings e where ${own}`
  const type = INDEXED[vector.length]
  const distance = sql`(e.embedding <=> ${question})`

  if (!type) {
    return [
      sql`${sql.table(`vector_${n}`)} as (
        select id, distance, 'exact' as index, row_number() over (order by distance, id desc) as rank from (
          select e.passage_id as id, ${distance} as distance from ${kept}
          order by distance limit ${depth}) as nearest
        where distance < 'NaN')`,
    ]
  }

  // The dimension is written out, as the index has it. In one condition that only a look at the row can tell, no other
  // index has its say, whatever the planner thinks of the filter: it reads this one, in its order.
  const cast = sql.raw(`${type}(${vector.length})`)
  const visible =
    narrow.length > 0
      ? sql`(select ${and(narrow)} from passages p where p.organization_id = e.organization_id
        and p.container_id = e.container_id and p.id = e.passage_id)`
      : sql`true`
  return [
    sql`${candidates} as materialized (
      select e.passage_id as id, e.container_id from ${kept} limit ${sql.lit(few + 1)})`,
    sql`${near} as materialized (
      select e.passage_id as id, (e.embedding::${cast} <=> ${question}::${cast}) as distance from embeddings e
      where (select count(*) from ${candidates}) > ${sql.lit(few)}
        and e.dimension = ${sql.lit(vector.length)} and case when ${own} then ${visible} end
      order by distance limit ${depth})`,
    sql`${state} as materialized (
      select (select count(*) from ${candidates}) <= ${sql.lit(few)} as few,
        (select count(*) from ${near}) < ${depth} as short)`,
    sql`${exact} as (
      (select e.passage_id as id, ${distance} as distance from ${candidates} c ${vectorOf(sql`c`)}
        where (select few from ${state}) order by distance limit ${depth})
      union all
      (select e.passage_id as id, ${distance} as distance from ${kept} and (select not few and short from ${state}) order by distance limit ${depth}))`,
    sql`${sql.table(`vector_${n}`)} as (
      select id, distance, index, row_number() over (order by distance, id desc) as rank from (
        select id, distance, 'hnsw' as index from ${near} where (select not short from ${state})
        union all select id, distance, 'exact' from ${exact}) as nearest
      where distance < 'NaN')`,
  ]
}

/** The lexemes of a text, any of which will do; null for a text without one. */
const anyOf = (words: string) => sql`(
  select string_agg('''' || replace(replace(word, '\', '\\'), '''', '''''') || '''', ' | ')::tsquery
  from unnest(tsvector_to_array(to_tsvector('english', ${words}))) as word)`

/**
 * The passages that fit a query of words, in the table `fts`: first those that fit all of it (quotes, `or` and `-`
 * count), then, if they are fewer than are wanted, those with any of its words. Within each, by cover density
 * (ts_rank_cd: Clarke, Cormack, Tudhope 1999), as a number between 0 and 1.
 */
function byWords({ filter, limit, wordsFound }: SearchQuery, words: string): RawBuilder<unknown>[] {
  if (wordsFound) {
    return [
      sql`fts as (
        select hit.id, score, ${wordsFound.index}::text as index,
          row_number() over (order by score desc, hit.id desc) as rank
        from ${among(filter, wordsFound)})`,
    ]
  }
  const every = sql`websearch_to_tsquery('english', ${words})`
  const any = sql`(select any_word from asked)`
  const depth = sql.lit(depthOf(limit))
  // Numbered rather than limited: a limit would have the planner read the table from its start, in the hope that
  // what it seeks comes soon. Counting ends the reading all the same.
  const ranked = (question: RawBuilder<unknown>, more: RawBuilder<unknown>) => sql`
    select id, ts_rank_cd(search_vector, ${question}, 32) as score from (
      select p.id, p.search_vector, row_number() over () as n from passages p
      where ${allowed(filter)} and p.search_vector @@ ${question} ${more}) as found
    where n <= ${sql.lit(EXACT_SCAN_LIMIT)} order by score desc, id desc limit ${depth}`
  return [
    sql`fits as materialized (${ranked(every, sql``)})`,
    sql`touches as (${ranked(any, sql`and (select count(*) from fits) < ${limit}::int and not p.search_vector @@ ${every}`)})`,
    sql`fts as (
      select id, score, 'fts' as index, row_number() over (order by score desc, id desc) as rank from (
        select id, 1 + score as score from fits union all select id, score from touches) as found)`,
  ]
}

/** A column of a way of finding that the others don't have. */
const none = sql.raw('null')

/**
 * Tables of a search. The last one, `hits`, has the best passages and how each was found: `n`, its place; `score`;
 * `indexes`; `vector_score`, `vector_rank`, `embedding_model`; `fts_score`, `fts_rank`.
 *
 * Several ways of finding are joined by reciprocal rank fusion (Cormack, Clarke, Büttcher: Reciprocal Rank Fusion
 * outperforms Condorcet and individual Rank Learning Methods, SIGIR 2009; k = 60): a passage scores the sum of
 * 1 / (60 + its rank) over the ways that found it. Equal scores: the better single rank first, then the newer passage.
 */
export function searchTables(asked: SearchQuery): RawBuilder<unknown>[] {
  const { vectors, words, wordsFound, limit } = asked
  const terms = [
    ...vectors.flatMap(({ vector, found }, n) =>
      found ? [] : [sql`${`[${vector.join(',')}]`}::vector as ${sql.ref(`vector_${n}`)}`],
    ),
    ...(words === undefined || wordsFound ? [] : [sql`${anyOf(words)} as any_word`]),
  ]
  const ways = [
    ...vectors.map(
      ({ name }, n) => sql`select id, rank, index, 1 - distance as vector_score, rank as vector_rank,
        ${name}::text as embedding_model, null::float8 as fts_score, null::bigint as fts_rank from ${sql.table(`vector_${n}`)}`,
    ),
    ...(words === undefined
      ? []
      : [sql`select id, rank, index, ${none}::float8, ${none}::bigint, ${none}::text, score::float8, rank from fts`]),
  ]
  const alone = ways.length > 1 ? sql`fused` : words === undefined ? sql`vector_score` : sql`fts_score`
  return [
    ...(terms.length > 0 ? [sql`asked as materialized (select ${sql.join(terms)})`] : []),
    ...vectors.flatMap((_, n) => byVectors(n, asked, vectors.length > 1)),
    ...(words === undefined ? [] : byWords(asked, words)),
    sql`hits as (
      select *, ${alone} as score, row_number() over (order by fused desc, best, id desc) as n from (
        select id, sum(1.0::float8 / (${sql.lit(FUSION)} + rank)) as fused, min(rank) as best,
          json_agg(distinct index order by index desc) as indexes,
          max(vector_score) as vector_score, min(vector_rank) as vector_rank, max(embedding_model) as embedding_model,
          max(fts_score) as fts_score, min(fts_rank) as fts_rank
        from (${sql.join(ways, sql` union all `)}) as ways (
          id, rank, index, vector_score, vector_rank, embedding_model, fts_score, fts_rank)
        group by id) as fused
      order by n limit ${limit})`,
  ]
}
