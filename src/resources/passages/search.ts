import { sql } from 'kysely'
import type { Scope } from '../../db/scope.ts'
import { ApiError, type Fault, inBody, invalid } from '../../lib/errors.ts'
import { RawJson } from '../../lib/json.ts'
import { inZone, readSpan } from '../../lib/time.ts'
import type { Embedders } from '../models/embedding.ts'
import { passages, passagesWithVectors } from './schema.ts'
import { findPlaces, type Places, type ServingModel, type Wanted } from './search-places.ts'
import type { FoundMemories, FoundPassage, SearchArchivalMemory, SearchMode, SearchPassages } from './search-schema.ts'
import { type Asked, type AskedVector, allowed, type Filter, LOOKED_AT, searchTables } from './search-statement.ts'

/** A search that is ready to run: what had to be asked of the outside world has been. */
export interface PreparedSearch {
  places: Places
  mode: SearchMode
  /** Absent: nothing in particular is looked for. */
  query: string | undefined
  vectors: AskedVector[]
  /** Why a model's vectors are left out. */
  error: string | undefined
}

/** How much of a query is looked for by words: each word is work. */
const WORDS_LENGTH = 1000

const nameOf = ({ key, config }: ServingModel) => config.handle ?? key

/** The query as a vector of each model, and the first error of those that failed. */
async function embedQuery(scope: Scope, embedders: Embedders, models: readonly ServingModel[], query: string) {
  const settled = await Promise.allSettled(
    models.map(async (model): Promise<AskedVector> => {
      const embedder = await embedders.of(scope, model.config)
      const [vector] = await embedder.embed([query], 'query')
      return { model: model.key, name: nameOf(model), containers: model.containers, vector: vector! }
    }),
  )
  return {
    vectors: settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : [])),
    failure: settled.find((one) => one.status === 'rejected')?.reason as unknown,
  }
}

/**
 * Finds where to search and embeds the query: to be done outside of any transaction, as models may be asked over the
 * network. 404 for what the organization doesn't have. A model that fails fails a search by vectors; a hybrid one does
 * without it, and says so.
 */
export async function prepareSearch(
  scope: Scope,
  embedders: Embedders,
  wanted: Wanted & { query?: string | null | undefined; search_mode?: SearchMode | null | undefined },
): Promise<PreparedSearch> {
  const places = await findPlaces(scope, wanted)
  const mode = wanted.search_mode ?? 'hybrid'
  const query = wanted.query?.trim() || undefined
  const prepared: PreparedSearch = { places, mode, query, vectors: [], error: undefined }
  if (query === undefined || mode === 'fts') return prepared
  if (mode === 'vector' && places.models.length === 0 && places.containers?.length !== 0) {
    throw invalid(inBody('search_mode', 'cannot be vector: what is searched has no embedding model. Use fts or hybrid'))
  }
  const { vectors, failure } = await embedQuery(scope, embedders, places.models, query)
  if (failure !== undefined && (mode === 'vector' || !(failure instanceof ApiError))) throw failure
  return { ...prepared, vectors, error: failure instanceof ApiError ? failure.message : undefined }
}

/** Whether there is neither a place nor a way to find anything. */
const isEmpty = ({ places, mode, vectors }: PreparedSearch) =>
  places.containers?.length === 0 || (mode === 'vector' && vectors.length === 0)

const askedOf = ({ query, mode, vectors }: PreparedSearch, filter: Filter, limit: number, few: number): Asked => ({
  filter,
  vectors,
  words: mode === 'vector' ? undefined : query!.slice(0, WORDS_LENGTH),
  limit,
  few,
})

interface Period {
  start: readonly [name: string, text: string | null | undefined]
  end: readonly [name: string, text: string | null | undefined]
}

/** The instants a period begins and is over at. 422 for what is no date. */
function readPeriod({ start, end }: Period, zone: string, where: Fault['in']): Pick<Filter, 'from' | 'before'> {
  const [from, to] = [start, end].map(([name, text]) => {
    if (!text) return undefined
    const span = readSpan(text, zone)
    if (span) return span
    const message = 'must be a date, such as 2026-11-21, or a date and time, such as 2026-11-21T08:30:00Z'
    throw invalid({ in: where, field: name, message })
  })
  return { from: from?.from, before: to?.before }
}

/**
 * The passages that fit a query best, ready to go out, with how each was found; without a query, the newest. One
 * statement. `few`: up to how many candidates are compared one by one rather than by an index.
 */
export async function searchPassages(
  scope: Scope,
  prepared: PreparedSearch,
  body: SearchPassages,
  few: number = LOOKED_AT,
): Promise<FoundPassage[]> {
  const { tags, tag_match_mode, include } = body
  const filter: Filter = {
    organizationId: scope.organizationId,
    containers: prepared.places.containers,
    tags: tags ?? [],
    allTags: tag_match_mode === 'all',
    ...readPeriod({ start: ['start_date', body.start_date], end: ['end_date', body.end_date] }, 'UTC', 'body'),
  }
  if (prepared.query !== undefined && isEmpty(prepared)) return []
  const limit = body.limit ?? 50
  const shape = include?.length ? passagesWithVectors : passages
  const { json } = shape.written[scope.names]
  const mode = prepared.mode === 'hybrid' && prepared.vectors.length === 0 ? 'fts' : prepared.mode
  const rows = await scope.query<{ json: string }>(
    prepared.query === undefined
      ? sql`
        select '{"passage":' || ${json} || ',"score":0,"metadata":'
          || json_build_object('search_mode', 'list', 'rank', n, 'indexes', '[]'::json)::text || '}' as json
        from (select p.*, row_number() over (order by p.created_at desc, p.id desc) as n from passages p
          where ${allowed(filter)} order by n limit ${limit}) as passages order by n`
      : sql`
        with ${sql.join(searchTables(askedOf(prepared, filter, limit, few)))}
        select '{"passage":' || ${json} || ',"score":' || hits.score || ',"metadata":'
          || json_strip_nulls(json_build_object('search_mode', ${mode}::text, 'rank', hits.n, 'indexes', indexes,
            'vector_score', vector_score, 'vector_rank', vector_rank, 'embedding_model', hits.embedding_model,
            'fts_score', fts_score, 'fts_rank', fts_rank, 'vector_error', ${prepared.error ?? null}::text))::text
          || '}' as json
        from hits join passages on passages.organization_id = ${scope.organizationId} and passages.id = hits.id
        order by hits.n`,
  )
  return new RawJson(rows.map((row) => row.json)) as unknown as FoundPassage[]
}

/** What an agent's archive holds that fits a query best. Nothing without a query. */
export async function searchArchivalMemory(
  scope: Scope,
  prepared: PreparedSearch,
  asked: SearchArchivalMemory,
  few: number = LOOKED_AT,
): Promise<FoundMemories> {
  const zone = prepared.places.timezone ?? 'UTC'
  const { start_datetime, end_datetime } = asked
  const filter: Filter = {
    organizationId: scope.organizationId,
    containers: prepared.places.containers,
    tags: asked.tags ?? [],
    allTags: asked.tag_match_mode === 'all',
    ...readPeriod({ start: ['start_datetime', start_datetime], end: ['end_datetime', end_datetime] }, zone, 'query'),
  }
  if (prepared.query === undefined || isEmpty(prepared)) return { results: [], count: 0 }
  const rows = await scope.query<{ id: string; created_at: string; text: string; tags: string[] }>(sql`
    with ${sql.join(searchTables(askedOf(prepared, filter, asked.top_k ?? 5, few)))}
    select p.id, p.created_at, p.text, p.tags
    from hits join passages p on p.organization_id = ${scope.organizationId} and p.id = hits.id order by hits.n`)
  const results = rows.map(({ id, created_at, text, tags }) => ({
    id,
    timestamp: inZone(new Date(created_at), zone),
    content: text,
    tags,
  }))
  return { results, count: results.length }
}
