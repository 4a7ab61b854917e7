import { readdirSync, readFileSync } from 'node:fs'
import { type Kysely, sql } from 'kysely'
import { ConfigError } from '../../config.ts'
import type { Tables } from '../tables.ts'
import type { Database } from './database.ts'

const DIRECTORY = new URL('../../../migrations/', import.meta.url)

/** The advisory lock under which servers that start at once take turns. */
export const MIGRATION_LOCK = 0x6361_6972

interface Migration {
  version: number
  name: string
}

/** The migrations this code knows, oldest first. */
function knownMigrations(): Migration[] {
  return readdirSync(DIRECTORY)
    .filter((name) => name.endsWith('.sql'))
    .sort()
    .map((name) => ({ version: Number(name.slice(0, 4)), name }))
}

/** Throws a ConfigError for a server that can't hold the schema, before anything is written to it. */
async function checkServer(trx: Kysely<Tables>): Promise<void> {
  const { rows } = await sql<{ version: number; vector: boolean }>`
    select current_setting('server_version_num')::int as version,
      exists (select from pg_available_extensions where name = 'vector') as vector`.execute(trx)
  if (rows[0]!.version < 150_000) {
    throw new ConfigError('Cairn needs PostgreSQL 15 or newer: upgrade the server DATABASE_URL names.')
  }
  if (!rows[0]!.vector) {
    throw new ConfigError(
      'The PostgreSQL server lacks pgvector. Install it there (package postgresql-<version>-pgvector, or the image ' +
        'pgvector/pgvector) and start again; or unset DATABASE_URL to use the embedded database.',
    )
  }
}

/**
 * Brings the schema up to date in one transaction. Servers that start at the same moment take turns.
 * Throws a ConfigError with the remedy for a database that is newer than this code, too old, or without pgvector.
 */
export async function migrate(database: Database): Promise<void> {
  const known = knownMigrations()
  await database.transaction(async (trx) => {
    await sql`set local statement_timeout = 0`.execute(trx)
    await sql`select pg_advisory_xact_lock(${MIGRATION_LOCK}::bigint)`.execute(trx)
    await sql`create table if not exists schema_migrations (
      version integer primary key, name text not null, applied_at timestamptz(3) not null default now())`.execute(trx)
    const { rows } = await sql<Migration>`select version, name from schema_migrations order by version`.execute(trx)
    const applied = new Set(rows.map((row) => row.version))
    const newer = rows.find((row) => row.version > (known.at(-1)?.version ?? 0))
    if (newer) {
      throw new ConfigError(
        `The database was written by a newer Cairn (it holds migration ${newer.name}). Start that version or a later one.`,
      )
    }
    const pending = known.filter((migration) => !applied.has(migration.version))
    if (pending.length > 0) await checkServer(trx)
    for (const { version, name } of pending) {
      await sql`insert into schema_migrations (version, name) values (${version}, ${name})`.execute(trx)
      await sql.raw(readFileSync(new URL(name, DIRECTORY), 'utf8')).execute(trx)
    }
  })
}

/**
 * Makes the missing trigram indexes of the columns that substring searches read; migrations list these columns in
 * `searched_columns`. Returns false on a server without pg_trgm: searches are right there too, but read every row.
 */
export async function indexSearches(database: Database): Promise<boolean> {
  return database.transaction(async (trx) => {
    await sql`set local statement_timeout = 0`.execute(trx)
    const { rows } = await sql<{ available: boolean }>`
      select exists (select from pg_available_extensions where name = 'pg_trgm') as available`.execute(trx)
    const missing = await sql<{ table_name: string; column_name: string; index_name: string }>`
      select table_name, column_name, index_name from (
        select *, table_name || '_' || column_name || '_trigrams' as index_name from searched_columns) as searched
      where not exists (select from pg_indexes where indexname = index_name and schemaname = current_schema())`.execute(
      trx,
    )
    if (missing.rows.length === 0 || !rows[0]!.available) return rows[0]!.available
    await sql`select pg_advisory_xact_lock(${MIGRATION_LOCK}::bigint)`.execute(trx)
    await sql`create extension if not exists pg_trgm`.execute(trx)
    for (const { table_name, column_name, index_name } of missing.rows) {
      await sql`create index if not exists ${sql.ref(index_name)} on ${sql.table(table_name)}
        using gin (${sql.ref(column_name)} gin_trgm_ops)`.execute(trx)
    }
    return true
  })
}
