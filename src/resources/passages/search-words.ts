import { type RawBuilder, sql } from 'kysely'
import { depthOf, EXACT_SCAN_LIMIT } from '../../lib/ranking.ts'
import { allowed, type Filter, type HostedHits, hostedTable } from './search-filter.ts'

/** A search by words. */
export interface WordQuery {
  filter: Filter
  limit: number
  /** Undefined: no search by words. */
  words: string | undefined
  /** The hits of the hosted store; undefined: this database is searched. */
  hostedWords: HostedHits | undefined
}

/** The words of the ranked passages, as the database stores them, in bytes: long passages take longer to rank. */
const MAX_RANKED_BYTES = 5_000_000

/**
 * SQL of the tables of a search by words; the last one is `fts`. Passages that match the whole query come first (quotes, `or`
 * and `-` count); if they are fewer than the limit, passages with any of its words follow. Both are ranked by cover density
 * (ts_rank_cd: Clarke, Cormack, Tudhope 1999), as a number between 0 and 1.
 */
export function wordTables({ filter, limit, hostedWords }: WordQuery): RawBuilder<unknown>[] {
  if (hostedWords) return [hostedTable('fts', filter, hostedWords, sql`score`)]
  const every = sql`(select every_word from terms)`
  const any = sql`(select any_word from terms)`
  const depth = sql.lit(depthOf(limit))
  // Numbered rather than limited: for a limit the planner would read the table from its start, expecting matches soon.
  // The numbers end the reading all the same. The size of a vector is known without reading it.
  const ranked = (tsquery: RawBuilder<unknown>, more: RawBuilder<unknown>) => sql`
    select id, ts_rank_cd(search_vector, ${tsquery}, 32) as score from (
      select p.id, p.search_vector, row_number() over found as n, sum(pg_column_size(p.search_vector)) over found as bytes
      from ${sql.table(filter.corpus.texts)} p where ${allowed(filter)} and p.search_vector @@ ${tsquery} ${more}
      window found as (rows unbounded preceding)) as found
    where n <= ${sql.lit(EXACT_SCAN_LIMIT)} and bytes <= ${sql.lit(MAX_RANKED_BYTES)} order by score desc, id desc limit ${depth}`
  return [
    sql`every_word as materialized (${ranked(every, sql``)})`,
    sql`some_words as (
      ${ranked(any, sql`and (select count(*) from every_word) < ${limit}::int and (p.search_vector @@ ${every}) is not true`)})`,
    sql`fts as (
      select id, score, 'fts' as index, row_number() over (order by score desc, id desc) as rank from (
        select id, 1 + score as score from every_word union all select id, score from some_words) as found)`,
  ]
}
