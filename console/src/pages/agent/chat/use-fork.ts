import { useQueryClient } from '@tanstack/react-query'
import { forkConversation } from '../../../api/generated.ts'
import { useAction } from '../../../api/use-action.ts'
import { useFilter } from '../../../components/use-filter.ts'
import { beginRun, begunKey } from './begun-run.ts'
import type { Place } from './conversation-id.ts'
import type { Entry } from './entries.ts'

/**
 * For a message of the user, a function that forks the conversation before this message, sends a text there instead, and shows the
 * fork. Undefined where nothing is before the message, or while a run goes on.
 */
export function useFork(place: Place) {
  const client = useQueryClient()
  const [, show] = useFilter('conversation')
  const { agentId, conversationId } = place
  const { run } = useAction(
    async ({ messageId, text }: { messageId: string; text: string }) => {
      const own = conversationId === undefined
      const fork = await forkConversation(conversationId ?? 'default', { messageId, ...(own && { agentId }) })
      client.setQueryData(begunKey(fork.id), await beginRun({ agentId, conversationId: fork.id }, text))
      return fork
    },
    {
      changes: [['agent', agentId, 'conversations']],
      done: 'Forked the conversation',
      onSuccess: ({ id }) => show(id),
    },
  )
  return (entry: Entry, before: Entry | undefined, running: boolean) => {
    if (entry.kind !== 'user' || running) return undefined
    const messageId = before && 'message' in before ? before.message.id : undefined
    return messageId ? (text: string) => run({ messageId, text }) : undefined
  }
}
