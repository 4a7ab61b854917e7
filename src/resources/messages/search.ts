import { sql } from 'kysely'
import type { Scope } from '../../db/scope.ts'
import { EXACT_SCAN_LIMIT } from '../../lib/ranking.ts'
import type { PreparedSearch } from '../passages/prepare-search.ts'
import { allowed } from '../passages/search-filter.ts'
import { searchTables } from '../passages/search-statement.ts'
import type { MessageRow } from './table.ts'

/** A message that a search has found, with its text, and how it was found. */
export interface FoundRow extends Omit<MessageRow, 'organization_id'> {
  agent_type: string
  text: string
  score: number
  fts_rank: number | null
  vector_rank: number | null
}

/** The newest messages that a search may find. */
const newest = ({ filter, limit }: PreparedSearch) => sql`hits as (
  select p.id, 0::float8 as score, null::bigint as fts_rank, null::bigint as vector_rank,
    row_number() over (order by p.id desc) as n
  from message_texts p where ${allowed(filter)} order by p.id desc limit ${limit})`

/**
 * The messages that match a query best, by one statement; without a query, the newest. `exactScanLimit`: the largest number of
 * candidates that are compared one by one rather than by an index.
 */
export function findMessages(
  scope: Scope,
  search: PreparedSearch,
  signal: AbortSignal,
  exactScanLimit: number = EXACT_SCAN_LIMIT,
): Promise<FoundRow[]> {
  const { organizationId } = scope
  const tables = search.query === undefined ? [newest(search)] : searchTables({ ...search, exactScanLimit })
  return scope.search(
    sql<FoundRow>`
      with ${sql.join(tables)}
      select m.*, hits.score, hits.fts_rank, hits.vector_rank, agents.agent_type,
        message_text(m.role, m.name, m.step_id, m.content, m.tool_calls, m.tool_returns) as text
      from hits
        join messages m on m.organization_id = ${organizationId} and m.id = hits.id
        join agents on agents.organization_id = ${organizationId} and agents.id = m.agent_id
      order by hits.n`,
    signal,
  )
}
