import { type RawBuilder, sql } from 'kysely'
import { NEXT, type PageOf } from '../../db/marks.ts'
import type { Scope } from '../../db/scope.ts'
import { ApiError } from '../../lib/errors.ts'

/** The part of a list of organizations or users that a request asks for. */
export interface IdPage {
  after?: string | undefined
  limit?: number | undefined
}

/**
 * SQL of the rows that the scope may see and change: `column` holds the organization of a row. The organization made at
 * first start operates the server: its admins see every organization, other admins their own alone.
 */
export const visible = (scope: Scope, column: RawBuilder<unknown>) =>
  scope.operator ? sql`true` : sql`${column} = ${scope.organizationId}`

/** 403 unless the caller operates the server. */
export function requireOperator(scope: Scope, action: string): void {
  if (!scope.operator) throw new ApiError('forbidden', `Only the organization that runs this server can ${action}.`)
}

/** One page of the rows of `select`, which ends in a condition, by id: oldest first. */
export async function listById<Row extends { id: string }>(
  scope: Scope,
  { after, limit = 50 }: IdPage,
  select: RawBuilder<unknown>,
): Promise<PageOf<Row>> {
  const rows: PageOf<Row> = await scope.read<Row>(
    sql<Row>`${select} and id > ${after ?? ''} order by id limit ${limit + 1}`,
  )
  if (rows.length > limit) {
    rows.pop()
    rows[NEXT] = { after: rows.at(-1)!.id }
  }
  return rows
}
