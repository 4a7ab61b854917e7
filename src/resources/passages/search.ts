import { sql } from 'kysely'
import { type Rendered, renderTexts } from '../../db/render/rendered.ts'
import type { Scope } from '../../db/scope.ts'
import { withDeadline } from '../../embed/deadline.ts'
import type { VectorStores } from '../../embed/stores.ts'
import { ApiError, inBody, invalid, type ValidationIssue } from '../../lib/errors.ts'
import { EXACT_SCAN_LIMIT } from '../../lib/ranking.ts'
import { type Clock, createClock, inZone, readSpan } from '../../lib/time.ts'
import type { Embedders } from '../models/embedding.ts'
import { passages, passagesWithVectors } from './schema.ts'
import { askStore } from './search-hosted.ts'
import type { FoundMemories, FoundPassage, SearchArchivalMemory, SearchMode, SearchPassages } from './search-schema.ts'
import { allowed, type Filter, type HostedHits, type QueryVector, searchTables } from './search-statement.ts'
import { resolveTargets, type SearchTarget, type ServingModel } from './search-targets.ts'

/** The outside world of a search. */
export interface SearchDeps {
  embedders: Embedders
  stores: VectorStores
  /** How long the models may take together, before a search does without those that don't answer. */
  timeoutMs?: number
}

const TIMEOUT_MS = 5_000

/** As many models as one answer gives the errors of. */
const MAX_REPORTED_ERRORS = 3

/** A search that is ready to run: what had to be asked of the outside world has been. */
export interface PreparedSearch {
  filter: Filter
  limit: number
  /** The clock of the agent that asks, or of UTC. */
  clock: Clock
  mode: SearchMode
  /** Absent: nothing in particular is looked for. */
  query: string | undefined
  vectors: QueryVector[]
  /** What is looked for by words; absent: nothing. */
  words: string | undefined
  wordsFound: HostedHits | undefined
  /** Why a model's vectors are left out. */
  vectorError: string | undefined
  /** Why the hosted store is left out. */
  storeError: string | undefined
}

/** How much of a query is looked for by words: each word is work. */
const WORDS_LENGTH = 1000

const nameOf = ({ key, config }: ServingModel) => config.handle ?? key

/** What the failures of models tell, those of the first few in full. */
function toldOf(failures: readonly ApiError[]): string | undefined {
  if (failures.length === 0) return undefined
  const told = failures.slice(0, MAX_REPORTED_ERRORS).map(({ message }) => message)
  const others = failures.length - told.length
  return [...told, ...(others > 0 ? [`So it is with ${others} more.`] : [])].join(' ')
}

/** The query as a vector of each model that answers in time, and why the others don't. */
async function embedQuery(
  scope: Scope,
  { embedders, timeoutMs = TIMEOUT_MS }: SearchDeps,
  models: readonly ServingModel[],
  query: string,
): Promise<{ vectors: QueryVector[]; failures: ApiError[] }> {
  const settled = await Promise.allSettled(
    models.map((model) =>
      withDeadline(timeoutMs, nameOf(model), async (signal): Promise<QueryVector> => {
        const embedder = await embedders.of(scope, model.config)
        const [vector] = await embedder.embed([query], 'query', signal)
        return { model: model.key, name: nameOf(model), containers: model.containers, vector: vector! }
      }),
    ),
  )
  const failures = settled.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []))
  const fault = failures.find((failure) => !(failure instanceof ApiError))
  if (fault) throw fault
  return {
    vectors: settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : [])),
    failures: failures as ApiError[],
  }
}

/** What is searched for, in the words of either route. */
interface SearchRequest extends SearchTarget {
  query?: string | null | undefined
  search_mode?: SearchMode | null | undefined
  tags?: string[] | null | undefined
  tag_match_mode?: 'any' | 'all' | null | undefined
  limit: number
  period: Period
  /** Whose clock tells dates without a zone: the agent's, or none. */
  clock: 'agent' | 'UTC'
}

interface Period {
  in: ValidationIssue['in']
  start: readonly [name: string, text: string | null | undefined]
  end: readonly [name: string, text: string | null | undefined]
}

/** The instants a period begins and is over at. 422 for what is no date. */
function readPeriod({ in: where, start, end }: Period, clock: Clock): Pick<Filter, 'from' | 'before'> {
  const [from, to] = [start, end].map(([name, text]) => {
    if (!text) return undefined
    const span = readSpan(text, clock)
    if (span) return span
    const message = 'must be a date, such as 2026-11-21, or a date and time, such as 2026-11-21T08:30:00Z'
    throw invalid({ in: where, field: name, message })
  })
  return { from: from?.from, before: to?.before }
}

/**
 * Finds where to search, embeds the query, and asks the hosted store of an archive that is searched alone. A search does
 * without the models that fail, and says so; one by vectors fails when none answers. 404 for what the organization
 * doesn't have.
 */
async function prepare(scope: Scope, searched: SearchDeps, wishes: SearchRequest): Promise<PreparedSearch> {
  const { limit, period } = wishes
  const { containers, models, hosted, timezone } = await resolveTargets(scope, wishes)
  const clock = createClock((wishes.clock === 'agent' && timezone) || 'UTC')
  const filter: Filter = {
    organizationId: scope.organizationId,
    containers,
    tags: wishes.tags ?? [],
    allTags: wishes.tag_match_mode === 'all',
    ...readPeriod(period, clock),
  }
  const mode = wishes.search_mode ?? 'hybrid'
  const query = wishes.query?.trim() || undefined
  const words = mode === 'vector' ? undefined : query?.slice(0, WORDS_LENGTH)
  const prepared: PreparedSearch = {
    filter,
    limit,
    clock,
    mode,
    query,
    words,
    vectors: [],
    wordsFound: undefined,
    vectorError: undefined,
    storeError: undefined,
  }
  if (query === undefined || containers?.length === 0) return prepared
  if (mode !== 'fts') {
    if (mode === 'vector' && models.length === 0) {
      throw invalid(
        inBody('search_mode', 'cannot be vector: what is searched has no embedding model. Use fts or hybrid'),
      )
    }
    const { vectors, failures } = await embedQuery(scope, searched, models, query)
    if (mode === 'vector' && vectors.length === 0) throw failures[0]
    prepared.vectors = vectors
    prepared.vectorError = toldOf(failures)
  }
  if (hosted === undefined) return prepared
  const [vector] = prepared.vectors
  const answer = await askStore(scope, searched.stores, hosted, { mode, vector, words, filter, limit })
  return {
    ...prepared,
    vectors: vector ? [{ ...vector, found: answer.vector }] : [],
    wordsFound: answer.words,
    storeError: answer.error,
  }
}

/**
 * A search of passages, ready to run: to be made outside of any transaction, as models and stores may be asked over the
 * network. 404 for what the organization doesn't have, 422 for what is no date, 502 and the like for what doesn't answer.
 */
export const prepareSearch = (scope: Scope, searched: SearchDeps, body: SearchPassages): Promise<PreparedSearch> =>
  prepare(scope, searched, {
    ...body,
    limit: body.limit ?? 50,
    period: { in: 'body', start: ['start_date', body.start_date], end: ['end_date', body.end_date] },
    clock: 'UTC',
  })

/** The same for a search of an agent's archival memory. */
export const prepareMemorySearch = (
  scope: Scope,
  searched: SearchDeps,
  agent_id: string,
  { top_k, start_datetime, end_datetime, ...wishes }: SearchArchivalMemory,
): Promise<PreparedSearch> =>
  prepare(scope, searched, {
    ...wishes,
    agent_id,
    limit: top_k ?? 5,
    period: { in: 'query', start: ['start_datetime', start_datetime], end: ['end_datetime', end_datetime] },
    clock: 'agent',
  })

/** Whether there is neither a place nor a way to find anything. */
const isEmpty = ({ filter, mode, vectors }: PreparedSearch) =>
  filter.containers?.length === 0 || (mode === 'vector' && vectors.length === 0)

/**
 * The passages that fit a query best, ready to go out, with how each was found; without a query, the newest. One
 * statement. `few`: up to how many candidates are compared one by one rather than by an index.
 */
export async function searchPassages(
  scope: Scope,
  prepared: PreparedSearch,
  { include }: Pick<SearchPassages, 'include'>,
  few: number = EXACT_SCAN_LIMIT,
): Promise<Rendered<FoundPassage[]>> {
  if (prepared.query !== undefined && isEmpty(prepared)) return renderTexts([])
  const { filter, limit } = prepared
  const shape = include?.length ? passagesWithVectors : passages
  const { json } = shape.rendering[scope.names]
  const mode = prepared.mode === 'hybrid' && prepared.vectors.length === 0 ? 'fts' : prepared.mode
  const rows = await scope.query<{ json: string }>(
    prepared.query === undefined
      ? sql`
        select '{"passage":' || ${json} || ',"score":0,"metadata":'
          || json_build_object('search_mode', 'list', 'rank', n, 'indexes', '[]'::json)::text || '}' as json
        from (select p.*, row_number() over (order by p.created_at desc, p.id desc) as n from passages p
          where ${allowed(filter)} order by n limit ${limit}) as passages order by n`
      : sql`
        with ${sql.join(searchTables({ ...prepared, few }))}
        select '{"passage":' || ${json} || ',"score":' || hits.score || ',"metadata":'
          || json_strip_nulls(json_build_object('search_mode', ${mode}::text, 'rank', hits.n, 'indexes', indexes,
            'vector_score', vector_score, 'vector_rank', vector_rank, 'embedding_model', hits.embedding_model,
            'fts_score', fts_score, 'fts_rank', fts_rank, 'vector_error', ${prepared.vectorError ?? null}::text,
            'store_error', ${prepared.storeError ?? null}::text))::text
          || '}' as json
        from hits join passages on passages.organization_id = ${scope.organizationId} and passages.id = hits.id
        order by hits.n`,
  )
  return renderTexts(rows.map((row) => row.json))
}

/** What an agent's archive holds that fits a query best. Nothing without a query. */
export async function searchArchivalMemory(
  scope: Scope,
  prepared: PreparedSearch,
  few: number = EXACT_SCAN_LIMIT,
): Promise<FoundMemories> {
  if (prepared.query === undefined || isEmpty(prepared)) return { results: [], count: 0 }
  const rows = await scope.query<{ id: string; created_at: string; text: string; tags: string[] }>(sql`
    with ${sql.join(searchTables({ ...prepared, few }))}
    select p.id, p.created_at, p.text, p.tags
    from hits join passages p on p.organization_id = ${scope.organizationId} and p.id = hits.id order by hits.n`)
  const results = rows.map(({ id, created_at, text, tags }) => ({
    id,
    timestamp: inZone(new Date(created_at), prepared.clock),
    content: text,
    tags,
  }))
  return { results, count: results.length }
}
