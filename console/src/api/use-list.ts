import { type InfiniteData, type QueryKey, useInfiniteQuery } from '@tanstack/react-query'

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

interface Options<Row> {
  enabled?: boolean
  /** After how many milliseconds the list is loaded again, for the rows that it has. */
  refetchInterval?: (rows: Row[]) => number | false
}

/** Reads a list of the API with one request a page. `key` names the list and its filters. */
export function useList<Row extends { id?: string }>(
  key: QueryKey,
  load: (page: PageRequest, options: { signal: AbortSignal }) => Promise<Row[]>,
  { refetchInterval, ...options }: Options<Row> = {},
): List<Row> {
  const query = useInfiniteQuery<Row[], Error, InfiniteData<Row[]>, QueryKey, string | undefined>({
    queryKey: key,
    initialPageParam: undefined,
    queryFn: ({ pageParam, signal }) =>
      load({ limit: PAGE_SIZE, ...(pageParam === undefined ? {} : { after: pageParam }) }, { signal }),
    getNextPageParam: (page) => (page.length < PAGE_SIZE ? undefined : page.at(-1)?.id),
    ...options,
    ...(refetchInterval && { refetchInterval: ({ state }) => refetchInterval(state.data?.pages.flat() ?? []) }),
  })
  return {
    rows: query.data?.pages.flat() ?? [],
    error: query.error,
    isLoading: query.isPending,
    hasMore: query.hasNextPage,
    isLoadingMore: query.isFetchingNextPage,
    loadMore: () => void query.fetchNextPage(),
    retry: () => void query.refetch(),
  }
}
