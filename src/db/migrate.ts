import { readdirSync, readFileSync } from 'node:fs'
import { type Kysely, sql } from 'kysely'
import { ConfigError } from '../config.ts'
import type { Database } from './database.ts'
import type { Tables } from './tables.ts'

const DIRECTORY = new URL('../../migrations/', import.meta.url)

/** Servers that start at once take turns under this lock. */
export const STARTING = 0x6361_6972

/** The columns searched by substring. Each gets a trigram index. */
const SEARCHED = [
  ['agents', 'name'],
  ['agents_tags', 'tag'],
  ['blocks', 'label'],
  ['blocks', 'description'],
  ['blocks', 'value'],
  ['blocks_tags', 'tag'],
  ['folders', 'name'],
  ['identities', 'name'],
  ['tools', 'name'],
] as const

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

/** Refuses a server that can't hold the schema, before anything is written to it. */
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
 * Brings the schema up to date, in one transaction, whoever else starts at the same moment.
 * Throws a ConfigError with the remedy for a database that is newer than this code, too old, or without pgvector.
 */
export async function migrate(database: Database): Promise<void> {
  const known = knownMigrations()
  await database.transaction(async (trx) => {
    await sql`select pg_advisory_xact_lock(${STARTING}::bigint)`.execute(trx)
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
 * Makes the trigram indexes of the substring searches where they are missing. Returns false on a server without
 * pg_trgm: searches are right there too, but read every row.
 */
export async function indexSearches(database: Database): Promise<boolean> {
  return database.transaction(async (trx) => {
    const { rows } = await sql<{ available: boolean; ready: boolean }>`
      select exists (select from pg_available_extensions where name = 'pg_trgm') as available,
        (select count(*) from pg_indexes where indexname like '%_trigrams' and schemaname = current_schema())
          = ${SEARCHED.length} as ready`.execute(trx)
    if (rows[0]!.ready || !rows[0]!.available) return rows[0]!.available
    await sql`select pg_advisory_xact_lock(${STARTING}::bigint)`.execute(trx)
    await sql`create extension if not exists pg_trgm`.execute(trx)
    for (const [table, column] of SEARCHED) {
      await sql`create index if not exists ${sql.ref(`${table}_${column}_trigrams`)} on ${sql.table(table)}
        using gin (${sql.ref(column)} gin_trgm_ops)`.execute(trx)
    }
    return true
  })
}
