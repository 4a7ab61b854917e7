import type { Scope } from '../../db/scope.ts'
import type { VectorStores } from '../../embed/stores.ts'
import { type Clock, createClock } from '../../lib/clock.ts'
import { inBody, invalid, type ValidationIssue } from '../../lib/errors.ts'
import { readSpan } from '../../lib/time.ts'
import type { Embedders } from '../models/embedding.ts'
import { embedQuery, joinMessages } from './embed-query.ts'
import { type Corpus, type Filter, PASSAGES } from './search-filter.ts'
import { searchStoreOf } from './search-hosted.ts'
import type { SearchArchivalMemory, SearchMode, SearchPassages } from './search-schema.ts'
import type { SearchQuery } from './search-statement.ts'
import { type ResolvedTargets, resolveTargets, type SearchTarget } from './search-targets.ts'
import { hasLongQuotes, LONG_QUOTES } from './search-terms.ts'

/** The period of a search, with the names of its fields in the request. */
interface Period {
  in: ValidationIssue['in']
  start: readonly [name: string, text: string | null | undefined]
  end: readonly [name: string, text: string | null | undefined]
}

/** The instants at which a period begins and ends. 422 for a text that is no date. */
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

/** The services that a search calls. */
export interface SearchDeps {
  embedders: Embedders
  stores: VectorStores
  /** The time that all models together have to respond. A search goes on without the models that are late. */
  timeoutMs?: number
}

const TIMEOUT_MS = 5_000

/** A search with the responses of all services that it needs: ready to run in a transaction. */
export interface PreparedSearch extends Omit<SearchQuery, 'exactScanLimit'> {
  /** The clock of the agent that searches, or of UTC. */
  clock: Clock
  mode: SearchMode
  /** Undefined: the newest passages are listed. */
  query: string | undefined
  /** Why the vectors of a model are left out. */
  vectorError?: string | undefined
  /** Why the hosted store is left out. */
  storeError?: string | undefined
}

/** The characters of a query that are searched for as words: each word costs time. */
const WORDS_LENGTH = 1000

/** What a search looks through. */
export interface SearchGround extends ResolvedTargets {
  corpus: Corpus
  conditions: Filter['conditions']
}

/** A request for a search, in the words of any route. */
export interface SearchRequest {
  query?: string | null | undefined
  search_mode?: SearchMode | null | undefined
  tags?: string[] | null | undefined
  tag_match_mode?: 'any' | 'all' | null | undefined
  limit: number
  period: Period
  /** The clock for dates without a zone: the agent's, or UTC. */
  zone: 'agent' | 'UTC'
}

/** Adds the vectors of the query. 422, or the error of a model, when a search by vectors alone has no vector. */
async function addVectors(
  scope: Scope,
  { embedders, timeoutMs = TIMEOUT_MS }: SearchDeps,
  search: PreparedSearch & { query: string },
  models: Parameters<typeof embedQuery>[2],
): Promise<PreparedSearch> {
  const { mode, query } = search
  if (mode === 'fts') return search
  if (mode === 'vector' && models.length === 0) {
    throw invalid(inBody('search_mode', 'cannot be vector: what is searched has no embedding model. Use fts or hybrid'))
  }
  const { vectors, failures } = await embedQuery(scope, { embedders, timeoutMs }, models, query)
  if (mode === 'vector' && vectors.length === 0) throw failures[0]
  return { ...search, vectors, vectorError: joinMessages(failures) }
}

/**
 * Embeds the query of a search, and searches the hosted store of an archive that is searched alone. It calls models and stores
 * over the network, so it must run outside any transaction. A search goes on without the models that fail, and reports them; a
 * search by vectors alone fails when every model fails. 422 for an invalid date.
 */
export async function prepareOn(
  scope: Scope,
  deps: SearchDeps,
  { corpus, conditions, containers, models, hosted, timezone }: SearchGround,
  request: SearchRequest,
): Promise<PreparedSearch> {
  const clock = createClock((request.zone === 'agent' && timezone) || 'UTC')
  const filter: Filter = {
    corpus,
    conditions,
    organizationId: scope.organizationId,
    containers,
    tags: request.tags ?? [],
    allTags: request.tag_match_mode === 'all',
    ...readPeriod(request.period, clock),
  }
  const mode = request.search_mode ?? 'hybrid'
  const query = request.query?.trim() || undefined
  const words = mode === 'vector' ? undefined : query?.slice(0, WORDS_LENGTH)
  const { limit } = request
  const search = { filter, limit, clock, mode, query, words, vectors: [], hostedWords: undefined }
  if (query === undefined || containers?.length === 0) return search
  if (words !== undefined && hasLongQuotes(words))
    throw invalid({ in: request.period.in, field: 'query', message: LONG_QUOTES })
  const embedded = await addVectors(scope, deps, { ...search, query }, models)
  if (hosted === undefined) return embedded
  const [vector] = embedded.vectors
  const result = await searchStoreOf(scope, deps.stores, hosted, { ...embedded, vector })
  return {
    ...embedded,
    vectors: vector ? [{ ...vector, hosted: result.vector }] : [],
    hostedWords: result.words,
    storeError: result.error,
  }
}

const prepare = async (scope: Scope, deps: SearchDeps, request: SearchRequest & SearchTarget) =>
  prepareOn(scope, deps, { ...(await resolveTargets(scope, request)), corpus: PASSAGES, conditions: [] }, request)

/**
 * Prepares a search of passages. It calls models and stores over the network, so it must run outside any transaction. 404
 * for a target that the organization doesn't have, 422 for an invalid date, 502 and the like for a service that fails.
 */
export const prepareSearch = (scope: Scope, deps: SearchDeps, body: SearchPassages): Promise<PreparedSearch> =>
  prepare(scope, deps, {
    ...body,
    limit: body.limit ?? 50,
    period: { in: 'body', start: ['start_date', body.start_date], end: ['end_date', body.end_date] },
    zone: 'UTC',
  })

/** Prepares a search of an agent's archival memory, outside any transaction: see prepareSearch. */
export const prepareMemorySearch = (
  scope: Scope,
  deps: SearchDeps,
  agent_id: string,
  { top_k, start_datetime, end_datetime, ...request }: SearchArchivalMemory,
): Promise<PreparedSearch> =>
  prepare(scope, deps, {
    ...request,
    agent_id,
    limit: top_k ?? 5,
    period: { in: 'query', start: ['start_datetime', start_datetime], end: ['end_datetime', end_datetime] },
    zone: 'agent',
  })

/** Prepares a search of the files of an agent's folders, outside any transaction: see prepareOn. 404. */
export const prepareFileSearch = (
  scope: Scope,
  deps: SearchDeps,
  agentId: string,
  query: string,
  limit: number,
): Promise<PreparedSearch> => {
  const period = { in: 'body', start: ['start_date', null], end: ['end_date', null] } as const
  return prepare(scope, deps, { files_of: agentId, query, limit, period, zone: 'UTC' })
}
