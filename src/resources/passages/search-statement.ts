import { type RawBuilder, sql } from 'kysely'
import { FUSION } from '../../lib/ranking.ts'
import { anyWord, everyWord } from './search-terms.ts'
import { type VectorQuery, vectorTables } from './search-vectors.ts'
import { type WordQuery, wordTables } from './search-words.ts'

/** A search by vectors, by words, or by both. */
export interface SearchQuery extends VectorQuery, WordQuery {}

/** The table of the query's terms: its vectors, and its words. */
function termsTable({ vectors, words, hostedWords }: SearchQuery): RawBuilder<unknown>[] {
  const terms = [
    ...vectors.flatMap(({ vector, hosted }, n) =>
      hosted ? [] : [sql`${`[${vector.join(',')}]`}::vector as ${sql.ref(`vector_${n}`)}`],
    ),
    ...(words === undefined || hostedWords
      ? []
      : [sql`${anyWord(words)} as any_word, ${everyWord(words)} as every_word`]),
  ]
  return terms.length > 0 ? [sql`terms as materialized (select ${sql.join(terms)})`] : []
}

/** The selects over the rankings, all with the same columns. */
const rankings = ({ vectors, words }: SearchQuery): RawBuilder<unknown>[] => [
  ...vectors.map(
    ({ name }, n) => sql`select id, rank, index, 1 - distance as vector_score, rank as vector_rank,
      ${name}::text as embedding_model, null::float8 as fts_score, null::bigint as fts_rank
      from ${sql.table(`vector_${n}`)}`,
  ),
  ...(words === undefined
    ? []
    : [sql`select id, rank, index, null::float8, null::bigint, null::text, score::float8, rank from fts`]),
]

/**
 * SQL of the tables of a search. The last one, `hits`, has the best passages and how each was found: `n`, its position;
 * `score`; `indexes`; `vector_score`, `vector_rank`, `embedding_model`; `fts_score`, `fts_rank`.
 *
 * Several rankings are joined by reciprocal rank fusion (Cormack, Clarke, Büttcher: Reciprocal Rank Fusion outperforms
 * Condorcet and individual Rank Learning Methods, SIGIR 2009; k = 60): a passage scores the sum of 1 / (60 + its rank) over
 * the rankings that have it. Equal scores: the better single rank first, then the newer passage.
 */
export function searchTables(query: SearchQuery): RawBuilder<unknown>[] {
  const { vectors, words, limit } = query
  const lists = rankings(query)
  const score = lists.length > 1 ? sql`fused` : words === undefined ? sql`vector_score` : sql`fts_score`
  return [
    ...termsTable(query),
    ...vectors.flatMap((_, n) => vectorTables(query, n)),
    ...(words === undefined ? [] : wordTables(query)),
    sql`hits as (
      select *, ${score} as score, row_number() over (order by fused desc, best, id desc) as n from (
        select id, sum(1.0::float8 / (${sql.lit(FUSION)} + rank)) as fused, min(rank) as best,
          json_agg(distinct index order by index desc) as indexes,
          max(vector_score) as vector_score, min(vector_rank) as vector_rank, max(embedding_model) as embedding_model,
          max(fts_score) as fts_score, min(fts_rank) as fts_rank
        from (${sql.join(lists, sql` union all `)}) as rankings (
          id, rank, index, vector_score, vector_rank, embedding_model, fts_score, fts_rank)
        group by id) as fused
      order by n limit ${limit})`,
  ]
}
