/**
 * How every connection searches vectors (pgvector 0.8, README "HNSW" and "Iterative Index Scans"). How many vectors a
 * search of an index keeps in sight; that it goes on when a filter left too few; that it gives up after so many.
 * An older pgvector, which doesn't know the last two, heeds the first alone.
 */
export const SESSION: Readonly<Record<string, string>> = {
  'hnsw.ef_search': '400',
  // Out of order by a little, which costs nothing here: what is found is sorted anyway. Strict order would drop some.
  'hnsw.iterative_scan': 'relaxed_order',
  'hnsw.max_scan_tuples': '20000',
  // Compiling a statement takes longer than any of ours.
  jit: 'off',
  // What is asked for often lies in memory: rows here and there cost little more than rows in a line.
  random_page_cost: '1.1',
}

/** The same as a server takes it when a connection begins, with the clock of the wire. */
export const SESSION_OPTIONS = Object.entries({ TimeZone: 'UTC', ...SESSION })
  .map(([name, value]) => `-c ${name}=${value}`)
  .join(' ')
