import { type RawBuilder, sql } from 'kysely'
import type { Resource } from './resource.ts'

/** Who makes a change: values of the actor, or parameters of a cached statement. */
export interface Author {
  organizationId: unknown
  userId: unknown
  keyId: unknown
  requestId: unknown
  /** JSON of the agent that acts. */
  author?: unknown
}

/**
 * The columns of the history that name who made a change, under the names of the wire. A key without a user is one of the
 * organization that operates the server: no other organization sees it.
 */
export const AUTHOR_COLUMNS = sql`user_id, case when user_id is not null then key_id end as api_key_id, request_id, author ->> 'agent_id' as agent_id,
  author ->> 'run_id' as run_id, author ->> 'tool_call_id' as tool_call_id`

/**
 * The columns that every change of a row sets. `updated_at` doesn't go back when the clock of the server is put right.
 * `now` is an ISO 8601 instant.
 */
export const touchColumns = ({ userId }: Pick<Author, 'userId'>, now: unknown = new Date().toISOString()) =>
  sql`version = version + 1, updated_at = greatest(updated_at, ${now}), last_updated_by_id = ${userId}`

/** A common table expression that adds the history row of each row of `changed`, as the change left the row. */
export function insertRevision(
  { organizationId, keyId, userId, requestId, author }: Author,
  resource: Resource,
  operation: 'create' | 'update' | 'delete' | 'link' | 'unlink',
  links: RawBuilder<unknown> = sql`null`,
) {
  // The row of a delete is the last version of the resource: its end is the next version.
  const version = operation === 'delete' ? sql`version + 1` : sql`version`
  const unlogged = (resource.unlogged ?? []).map((column) => `'${column}'`)
  const row =
    unlogged.length > 0 ? sql`(to_jsonb(changed) - array[${sql.raw(unlogged.join())}])::json` : sql`to_json(changed)`
  return sql`logged as (
    insert into revisions
      (organization_id, kind, resource_id, version, operation, key_id, user_id, request_id, author, resource,
        links)
    select ${organizationId}, ${sql.lit(resource.prefix)}, id, ${version}, ${sql.lit(operation)}, ${keyId}, ${userId},
      ${requestId}, ${author ?? null}::json, ${row}, ${links}::jsonb
    from changed)`
}
