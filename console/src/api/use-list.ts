import type { RequestOpts } from '@oazapfts/runtime'
import { type InfiniteData, type QueryKey, useInfiniteQuery } from '@tanstack/react-query'
import { withHeaders } from './with-etag.ts'

const PAGE_SIZE = 100

/** The page that a list asks for: pass it on to the operation. */
export interface PageRequest {
  limit: number
  after?: string
}

/** A list that loads page by page. */
export interface List<Row> {
  rows: Row[]
  error: unknown
  isLoading: boolean
  hasMore: boolean
  isLoadingMore: boolean
  loadMore: () => void
  retry: () => void
}

/** The rows of a page, and whether another one follows. */
interface LoadedPage<Row> {
  rows: Row[]
  hasNext: boolean
}

const rowsOf = <Row>(data: InfiniteData<LoadedPage<Row>> | undefined) => data?.pages.flatMap(({ rows }) => rows) ?? []

interface Options<Row> {
  enabled?: boolean
  /** After how many milliseconds the list is loaded again, for the rows that it has. */
  refetchInterval?: (rows: Row[]) => number | false
}

/** Reads a list of the API with one request a page. `key` names the list and its filters; `load` passes its options on. */
export function useList<Row extends { id?: string }>(
  key: QueryKey,
  load: (page: PageRequest, options: RequestOpts) => Promise<Row[]>,
  { refetchInterval, ...options }: Options<Row> = {},
): List<Row> {
  type Page = LoadedPage<Row>
  const query = useInfiniteQuery<Page, Error, InfiniteData<Page>, QueryKey, string | undefined>({
    queryKey: key,
    initialPageParam: undefined,
    queryFn: async ({ pageParam: after, signal }) => {
      const page = { limit: PAGE_SIZE, ...(after !== undefined && { after }) }
      const { data: rows, headers } = await withHeaders((options) => load(page, { ...options, signal }))
      return { rows, hasNext: headers.has('link') }
    },
    getNextPageParam: ({ rows, hasNext }) => (hasNext ? rows.at(-1)?.id : undefined),
    ...options,
    ...(refetchInterval && { refetchInterval: ({ state }) => refetchInterval(rowsOf(state.data)) }),
  })
  return {
    rows: rowsOf(query.data),
    error: query.error,
    isLoading: query.isPending,
    hasMore: query.hasNextPage,
    isLoadingMore: query.isFetchingNextPage,
    loadMore: () => void query.fetchNextPage(),
    retry: () => void query.refetch(),
  }
}
