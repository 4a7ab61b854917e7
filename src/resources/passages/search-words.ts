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

/** SQL of a query that any lexeme of a text satisfies; null for a text without lexemes. */
export const anyWord = (words: string) => sql`(
  select string_agg('''' || replace(replace(word, '\', '\\'), '''', '''''') || '''', ' | ')::tsquery
  from unnest(tsvector_to_array(to_tsvector('english', ${words}))) as word)`

/**
 * SQL of the tables of a search by words; the last one is `fts`. Passages that match the whole query come first (quotes, `or`
 * and `-` count); if they are fewer than the limit, passages with any of its words follow. Both are ranked by cover density
 * (ts_rank_cd: Clarke, Cormack, Tudhope 1999), as a number between 0 and 1.
 */
export function wordTables({ filter, limit, hostedWords }: WordQuery, words: string): RawBuilder<unknown>[] {
  if (hostedWords) return [hostedTable('fts', filter, hostedWords, sql`score`)]
  const every = sql`websearch_to_tsquery('english', ${words})`
  const any = sql`(select any_word from terms)`
  const depth = sql.lit(depthOf(limit))
  // Numbered rather than limited: for a limit the planner would read the table from its start, expecting matches soon.
  // The numbers end the reading all the same.
  const ranked = (tsquery: RawBuilder<unknown>, more: RawBuilder<unknown>) => sql`
    select id, ts_rank_cd(search_vector, ${tsquery}, 32) as score from (
      select p.id, p.search_vector, row_number() over () as n from passages p
      where ${allowed(filter)} and p.search_vector @@ ${tsquery} ${more}) as found
    where n <= ${sql.lit(EXACT_SCAN_LIMIT)} order by score desc, id desc limit ${depth}`
  return [
    sql`every_word as materialized (${ranked(every, sql``)})`,
    sql`some_words as (
      ${ranked(any, sql`and (select count(*) from every_word) < ${limit}::int and not p.search_vector @@ ${every}`)})`,
    sql`fts as (
      select id, score, 'fts' as index, row_number() over (order by score desc, id desc) as rank from (
        select id, 1 + score as score from every_word union all select id, score from some_words) as found)`,
  ]
}
