import { type Kysely, type SelectQueryBuilder, sql } from 'kysely'
import type { Tables } from './tables.ts'

export type Table = keyof Tables & string

/** A select over one table of the organization. */
export type Select<T extends Table> = SelectQueryBuilder<Tables, T, object>

/**
 * Adds conditions to a select. With a `cacheKey`, the conditions hold no value of the request. With a `signal`, they take long: the
 * statement is a search, which ends when the signal is aborted.
 */
export type Filter<T extends Table> = ((query: Select<T>) => Select<T>) & { cacheKey?: string; signal?: AbortSignal }

/**
 * Declares that a filter holds no value of any request, so that a list with this filter is compiled once. The name must be
 * unique among the filters of its table.
 */
export const cacheable = <T extends Table>(cacheKey: string, filter: Filter<T>): Filter<T> =>
  Object.assign(filter, { cacheKey })

/** A select over the rows of one organization: conditions added later can only narrow it. */
export function selectOwned<T extends Table>(db: Kysely<Tables>, table: T, organizationId: unknown): Select<T> {
  return db
    .selectFrom(table as never)
    .where(sql<boolean>`${sql.ref(`${table}.organization_id`)} = ${organizationId}`) as unknown as Select<T> // Kysely can't infer a generic table.
}
