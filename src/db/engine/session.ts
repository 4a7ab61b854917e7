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

/**
 * The settings of the embedded database alone. An index of words collects so many kilobytes of new entries before it sorts them
 * in: with PostgreSQL's 4 MB, the statement whose turn it is makes all others wait for a third of a second.
 */
export const EMBEDDED_SESSION: Readonly<Record<string, string>> = { ...SESSION, gin_pending_list_limit: '1024' }

/**
 * SQL of a function of the embedded database, which runs reads between the statements of a transaction: it opens a cursor,
 * `read`, on the rows of the statement in the setting `cairn.read`, and returns false where that fails. A stable function
 * sees the rows that its caller sees (PostgreSQL documentation, "Function Volatility Categories"), and writes nothing. Its
 * caller is the cursor of DECLARE_READS, which sees the rows as they were when it was declared. All rows are computed here, where a
 * failure is caught: outside it would end the transaction.
 */
export const OPEN_READ = `
create or replace function pg_temp.open_read() returns boolean language plpgsql stable as $$
declare
  result refcursor := 'read';
begin
  open result scroll for execute
    'with found as materialized (' || current_setting('cairn.read') || ') select * from found';
  move forward all in result;
  move backward all in result;
  return true;
exception when others then
  open result for select where false;
  return false;
end $$;`

/** SQL that follows the begin of a transaction: a cursor whose rows are calls of OPEN_READ. */
export const DECLARE_READS =
  'declare reads no scroll cursor for select pg_temp.open_read(), generate_series(1, 1000000000)'
