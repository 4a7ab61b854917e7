/**
 * The settings of every connection. The first three are pgvector's (0.8, README, "HNSW" and "Iterative Index Scans"): the
 * number of candidates that a search of an index considers, whether the search goes on when a filter left too few, and
 * the number of rows at which it stops. An older pgvector knows the first setting alone.
 */
export const SESSION: Readonly<Record<string, string>> = {
  'hnsw.ef_search': '400',
  // Relaxed order finds more, and the search sorts its results anyway.
  'hnsw.iterative_scan': 'relaxed_order',
  'hnsw.max_scan_tuples': '20000',
  // Just-in-time compilation of a statement takes longer than any statement here.
  jit: 'off',
  // Rows in use are in memory: reading them in any order costs little more than in sequence.
  random_page_cost: '1.1',
}

/**
 * The settings of every connection as a PostgreSQL server takes them at its start, the time zone of the API, and the time
 * that any statement has but those of migrations. Searches have less: see `createSenders`.
 */
export const SESSION_OPTIONS = Object.entries({ TimeZone: 'UTC', statement_timeout: '5min', ...SESSION })
  .map(([name, value]) => `-c ${name}=${value}`)
  .join(' ')
