import { type RawBuilder, sql } from 'kysely'
import type { Rendered } from '../../db/render/rendered.ts'
import { renderTexts } from '../../db/render/wrap.ts'
import type { Scope } from '../../db/scope.ts'
import { inZone } from '../../lib/clock.ts'
import { EXACT_SCAN_LIMIT } from '../../lib/ranking.ts'
import type { PreparedSearch } from './prepare-search.ts'
import { passages, passagesWithVectors } from './schema.ts'
import { allowed } from './search-filter.ts'
import type { FoundMemories, FoundPassage, SearchPassages } from './search-schema.ts'
import { searchTables } from './search-statement.ts'

/** Whether a search can find nothing: it has no container, or no vector. */
const isEmpty = ({ filter, mode, vectors }: PreparedSearch) =>
  filter.containers?.length === 0 || (mode === 'vector' && vectors.length === 0)

/** The newest passages that a search may find. */
const newest = ({ filter, limit }: PreparedSearch, json: RawBuilder<unknown>) => sql<{ json: string }>`
  select '{"passage":' || ${json} || ',"score":0,"metadata":'
    || json_build_object('search_mode', 'list', 'rank', n, 'indexes', '[]'::json)::text || '}' as json
  from (select p.*, row_number() over (order by p.created_at desc, p.id desc) as n from passages p
    where ${allowed(filter)} order by n limit ${limit}) as passages order by n`

/** The best passages, with how each was found. */
function best(search: PreparedSearch, json: RawBuilder<unknown>, exactScanLimit: number) {
  const mode = search.mode === 'hybrid' && search.vectors.length === 0 ? 'fts' : search.mode
  return sql<{ json: string }>`
    with ${sql.join(searchTables({ ...search, exactScanLimit }))}
    select '{"passage":' || ${json} || ',"score":' || hits.score || ',"metadata":'
      || json_strip_nulls(json_build_object('search_mode', ${mode}::text, 'rank', hits.n, 'indexes', indexes,
        'vector_score', vector_score, 'vector_rank', vector_rank, 'embedding_model', hits.embedding_model,
        'fts_score', fts_score, 'fts_rank', fts_rank, 'vector_error', ${search.vectorError ?? null}::text,
        'store_error', ${search.storeError ?? null}::text))::text
      || '}' as json
    from hits join passages on passages.organization_id = ${search.filter.organizationId} and passages.id = hits.id
    order by hits.n`
}

/**
 * The passages that match a query best, rendered by one statement, with how each was found; without a query, the newest.
 * `exactScanLimit`: the largest number of candidates that are compared one by one rather than by an index.
 */
export async function searchPassages(
  scope: Scope,
  search: PreparedSearch,
  { include }: Pick<SearchPassages, 'include'>,
  signal: AbortSignal,
  exactScanLimit: number = EXACT_SCAN_LIMIT,
): Promise<Rendered<FoundPassage[]>> {
  if (search.query !== undefined && isEmpty(search)) return renderTexts([])
  const shape = include?.length ? passagesWithVectors : passages
  const { json } = shape.rendering[scope.names].build(scope.organizationId)
  const rows = await scope.search(
    search.query === undefined ? newest(search, json) : best(search, json, exactScanLimit),
    signal,
  )
  return renderTexts(rows.map((row) => row.json))
}

/** A passage that a search has found. */
interface PassageText {
  id: string
  created_at: string
  text: string
  tags: string[]
  file_id: string | null
  file_name: string | null
}

/** The texts of the passages that match a query best. None without a query. */
export async function findPassages(scope: Scope, search: PreparedSearch, signal: AbortSignal): Promise<PassageText[]> {
  if (search.query === undefined || isEmpty(search)) return []
  return scope.search(
    sql<PassageText>`
      with ${sql.join(searchTables({ ...search, exactScanLimit: EXACT_SCAN_LIMIT }))}
      select p.id, p.created_at, p.text, p.tags, p.file_id, p.file_name
      from hits join passages p on p.organization_id = ${search.filter.organizationId} and p.id = hits.id order by hits.n`,
    signal,
  )
}

/** The passages of an agent's archive that match a query best. None without a query. */
export async function searchArchivalMemory(
  scope: Scope,
  search: PreparedSearch,
  signal: AbortSignal,
): Promise<FoundMemories> {
  const rows = await findPassages(scope, search, signal)
  const results = rows.map(({ id, created_at, text, tags }) => ({
    id,
    timestamp: inZone(new Date(created_at), search.clock),
    content: text,
    tags,
  }))
  return { results, count: results.length }
}
