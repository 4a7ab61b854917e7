import { isFinal } from '../llm/connection.ts'
import { embedMessages } from '../resources/messages/embed.ts'
import type { Embedders } from '../resources/models/embedding.ts'
import type { Work } from './work.ts'

/** Embeds the messages of an agent that lack a vector of its model, turn by turn. The next run of the agent tries again. */
export const embedMessagesWork = (embedders: Embedders): Work<'embed_messages'> => ({
  concurrency: 2,
  async handler(scope, { agent_id }, signal) {
    try {
      const more = await embedMessages(scope, embedders, agent_id, signal)
      if (more) await scope.enqueue('embed_messages', { agent_id }, agent_id)
    } catch (error) {
      if (!isFinal(error)) throw error
    }
  },
})
