import { type InfiniteData, type QueryKey, useInfiniteQuery } from '@tanstack/react-query'
import { type BlockVersion, listBlockVersions } from '../../api/generated.ts'

const PAGE_SIZE = 20

/** A change of a block, and the version before it, which the first one lacks. */
export interface Change {
  made: BlockVersion
  former: BlockVersion | undefined
}

/** The changes of a block, the last one first. The oldest that was read waits for the version before it. */
export function useBlockHistory(blockId: string) {
  const query = useInfiniteQuery<BlockVersion[], Error, InfiniteData<BlockVersion[]>, QueryKey, number | undefined>({
    queryKey: ['blocks', blockId, 'history'],
    initialPageParam: undefined,
    queryFn: ({ pageParam, signal }) =>
      listBlockVersions(
        blockId,
        { limit: PAGE_SIZE + 1, ...(pageParam !== undefined && { before: pageParam }) },
        { signal },
      ),
    // A page of large versions ends before its limit, so only the first version is the end for sure.
    getNextPageParam: (page) => {
      const oldest = page.at(-1)?.version ?? 1
      return oldest > 1 ? oldest : undefined
    },
    gcTime: 0,
  })
  const versions = query.data?.pages.flat()
  const known = query.hasNextPage ? versions?.slice(0, -1) : versions
  const changes = known?.map((made, index): Change => ({ made, former: versions?.[index + 1] }))
  return { ...query, data: changes }
}
