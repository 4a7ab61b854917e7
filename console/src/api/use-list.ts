import { type QueryKey, useInfiniteQuery } from '@tanstack/react-query'

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

interface Options {
  enabled?: boolean
  /** Loads the list again, in milliseconds. */
  refetchInterval?: number | false
}

/** Reads a list of the API with one request a page. `key` names the list and its filters. */
export function useList<Row extends { id?: string }>(
  key: QueryKey,
  load: (page: PageRequest, options: { signal: AbortSignal }) => Promise<Row[]>,
  options: Options = {},
): List<Row> {
  const query = useInfiniteQuery({
    queryKey: key,
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      load({ limit: PAGE_SIZE, ...(pageParam === undefined ? {} : { after: pageParam }) }, { signal }),
    getNextPageParam: (page) => (page.length < PAGE_SIZE ? undefined : page.at(-1)?.id),
    ...options,
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
