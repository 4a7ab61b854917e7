import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { forkConversation } from '../../../api/generated.ts'
import { useAction } from '../../../api/use-action.ts'
import { useFilter } from '../../../components/use-filter.ts'
import type { Place } from './conversation-id.ts'
import type { Entry } from './entries.ts'

/** The message that a fork begins with: it is sent once the fork is shown. */
const draftKey = (conversationId: string | undefined) => ['draft', conversationId]

/**
 * For a message of the user, a function that forks the conversation before this message and sends a text there instead. Undefined
 * where nothing is before the message, or while a run goes on.
 */
export function useFork(place: Place, send: (text: string) => void) {
  const client = useQueryClient()
  const [, show] = useFilter('conversation')
  const { agentId, conversationId } = place
  const { run } = useAction(
    async ({ messageId, text }: { messageId: string; text: string }) => {
      const own = conversationId === undefined
      const fork = await forkConversation(conversationId ?? 'default', { messageId, ...(own && { agentId }) })
      client.setQueryData(draftKey(fork.id), text)
      return fork
    },
    {
      changes: [['agent', agentId, 'conversations']],
      done: 'Forked the conversation',
      onSuccess: ({ id }) => show(id),
    },
  )
  useEffect(() => {
    const draft = client.getQueryData<string>(draftKey(conversationId))
    if (conversationId === undefined || draft === undefined) return
    client.removeQueries({ queryKey: draftKey(conversationId) })
    send(draft)
  }, [client, conversationId, send])
  return (entry: Entry, before: Entry | undefined, running: boolean) => {
    if (entry.kind !== 'user' || running) return undefined
    const messageId = before && 'message' in before ? before.message.id : undefined
    return messageId ? (text: string) => run({ messageId, text }) : undefined
  }
}
