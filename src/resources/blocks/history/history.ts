import { sql } from 'kysely'
import { type FirstRow, firstRows } from '../../../db/first-rows.ts'
import { NEXT, type PageOf, type Versioned } from '../../../db/marks.ts'
import { AUTHOR_COLUMNS } from '../../../db/revisions.ts'
import type { Scope } from '../../../db/scope.ts'
import { ApiError } from '../../../lib/errors.ts'
import { omitNullFields } from '../../../lib/json.ts'
import { modifyBlock } from '../blocks.ts'
import { type Block, blocks, settings } from '../schema.ts'
import type { BlockVersion, ListBlockVersions } from './schema.ts'

interface RevisionRow extends FirstRow, Omit<BlockVersion, 'block'> {
  row: Record<string, unknown>
}

const LAST_FIRST = sql`order by version desc`

/** Changes of a block, the last one first: at most `limit` and one more, fewer where they are large. */
const changesOf = (scope: Scope, id: string, condition: ReturnType<typeof sql>, limit: number) =>
  scope.read<RevisionRow>(sql`
    select version, operation, created_at, ${AUTHOR_COLUMNS}, resource as row, found from (${firstRows(
      sql`(select *, bytes as bytes_read from revisions
        where organization_id = ${scope.organizationId} and resource_id = ${id} and ${condition} ${LAST_FIRST} limit ${limit + 1})`,
      LAST_FIRST,
    )}) as read ${LAST_FIRST}`)

/** The fields of a block of its row in the history. */
const blockOf = (row: RevisionRow['row']) =>
  omitNullFields(Object.fromEntries(blocks.columns.map((column) => [column, row[column] ?? null]))) as Block

/**
 * The history of a block, the last change first: `before` a version, `limit` changes at most, fewer where they are large. The
 * history of a block that was deleted remains. 404.
 */
export async function listBlockVersions(scope: Scope, id: string, { before, limit = 50 }: ListBlockVersions) {
  const changes = await changesOf(scope, id, before === undefined ? sql`true` : sql`version < ${before}`, limit)
  if (changes.length === 0) await scope.exists('blocks', id)
  const page: PageOf<BlockVersion> = changes
    .slice(0, limit)
    .map(({ row, found: _found, ...change }) => ({ ...omitNullFields(change), block: blockOf(row) }))
  const last = page.at(-1)
  if (last && changes[0]!.found > page.length) page[NEXT] = { before: `${last.version}` }
  return page
}

/**
 * Gives a block the settings that it had in a version of its history, as a change of its own: nothing of the history is lost.
 * 404 for a deleted block, or a version that its history lacks; 409 and 412 as `modifyBlock`.
 */
export async function restoreBlock(scope: Scope, id: string, version: number): Promise<Block & Versioned> {
  await scope.exists('blocks', id)
  const [change] = await changesOf(scope, id, sql`version = ${version}`, 1)
  if (!change) throw new ApiError('not_found', `The history of ${id} has no version ${version}.`)
  const former = blockOf(change.row) as Record<string, unknown>
  const restored = Object.keys(settings).map((name) => [name, former[name] ?? null])
  return modifyBlock(scope, id, Object.fromEntries(restored))
}
