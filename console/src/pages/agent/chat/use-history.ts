import { useInfiniteQuery } from '@tanstack/react-query'
import type { Message } from '../../../api/generated.ts'
import { type Place, readMessages } from './conversation-id.ts'

const PAGE_SIZE = 60

/** The name of the messages of a conversation among what was read. */
export const historyKey = ({ agentId, conversationId }: Place) => [
  'agent',
  agentId,
  'messages',
  conversationId ?? 'default',
]

/** The stored messages of a conversation, oldest first; earlier ones on demand. */
export function useHistory(place: Place) {
  const query = useInfiniteQuery({
    queryKey: historyKey(place),
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam }) => readMessages(place, { limit: PAGE_SIZE, ...(pageParam && { before: pageParam }) }),
    // One stored message may be shown as several, so only an empty page is the end for sure.
    getNextPageParam: (page) => page.at(-1)?.id,
  })
  const messages: Message[] = query.data?.pages.flat().toReversed() ?? []
  const complete = messages[0]?.message_type === 'system_message'
  return {
    messages,
    error: query.error,
    loading: query.isPending,
    refetch: query.refetch,
    earlier: query.hasNextPage && !complete ? () => void query.fetchNextPage() : undefined,
  }
}
