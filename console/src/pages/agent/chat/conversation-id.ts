import {
  cancelConversation,
  cancelMessage,
  listActiveRuns,
  listConversationMessages,
  listMessages,
  type Message,
} from '../../../api/generated.ts'

/** A conversation of an agent; without an id the agent's own. */
export interface Place {
  agentId: string
  conversationId?: string | undefined
}

/** The path that messages of the conversation are sent to. */
export const sendPath = ({ agentId, conversationId }: Place) =>
  conversationId ? `/v1/conversations/${conversationId}/messages` : `/v1/agents/${agentId}/messages`

/** A page of messages, newest first. */
export const readMessages = (
  { agentId, conversationId }: Place,
  page: { limit: number; before?: string },
): Promise<Message[]> => {
  const { before, ...rest } = page
  const query = { order: 'desc' as const, ...rest, ...(before ? { after: before } : {}) }
  return conversationId
    ? listConversationMessages(conversationId, query)
    : listMessages(agentId, { ...query, conversationId: 'default' })
}

/** The newest run of the conversation that hasn't ended. */
export const readActiveRun = async ({ agentId, conversationId }: Place) => {
  const runs = await listActiveRuns({ agentId, order: 'desc', limit: 20 })
  return runs.find((run) => run.conversation_id === conversationId)
}

/** Cancels what runs in the conversation, and what waits. */
export const cancelRuns = ({ agentId, conversationId }: Place) =>
  conversationId ? cancelConversation(conversationId, {}) : cancelMessage(agentId, {})
