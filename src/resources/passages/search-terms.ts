import { sql } from 'kysely'

/** The most distinct words of a query that are searched for: the time to rank a passage grows with their square. */
const MAX_WORDS = 16

/** The most words in quotes: more are a 422. */
const MAX_QUOTED_WORDS = 16

/** The words and the operators between them. */
const MAX_NODES = 2 * MAX_WORDS

/** Whether a text has more words in quotes than a search takes. */
export const hasLongQuotes = (text: string): boolean =>
  [...text.matchAll(/"([^"]*)"?/g)].flatMap(([, quoted]) => quoted!.match(/[\p{L}\p{N}]+/gu) ?? []).length >
  MAX_QUOTED_WORDS

/** The issue of a text that `hasLongQuotes`. */
export const LONG_QUOTES = `must have at most ${MAX_QUOTED_WORDS} words in quotes`

/** SQL of a query that any of the first lexemes of a text satisfies; null for a text without lexemes. */
export const anyWord = (words: string) => sql`(
  select string_agg('''' || replace(replace(lexeme, '\', '\\'), '''', '''''') || '''', ' | ')::tsquery
  from (select lexeme from unnest(to_tsvector('english', ${words})) order by positions[1] limit ${sql.lit(MAX_WORDS)}) as first)`

/**
 * A text without most of its repeated `-`: PostgreSQL fails on more than 32 of them before a word (`websearch_to_tsquery` skips
 * the characters between them). An even number of them excludes nothing.
 */
const withoutRuns = (words: string) =>
  words.replace(/-(?:[\s()!&|]*-){2,}/g, (run) => (run.split('-').length % 2 === 0 ? '-' : '--'))

/** SQL of the query that a text is, with its operators; null for a text of too many words. */
export const everyWord = (words: string) => sql`(
  select case when numnode(query) <= ${sql.lit(MAX_NODES)} then query end
  from websearch_to_tsquery('english', ${withoutRuns(words)}) as query)`
