import type { Scope } from '../../db/scope.ts'
import { invalid } from '../../lib/errors.ts'
import type { Target } from '../messages/table.ts'
import { listedConversations } from './schema.ts'

/**
 * The thread that a path names: a conversation's, or an agent's own by `default` and `agent_id`, or by the agent's id. 404; 422
 * for `default` without an agent.
 */
export async function targetOf(
  scope: Scope,
  id: string,
  agent: { in: 'query' | 'body'; id: string | null | undefined },
): Promise<Target> {
  if (agent.id) await scope.exists('agents', agent.id)
  const agentId = id === 'default' ? agent.id : id.startsWith('agent-') ? id : undefined
  if (agentId) {
    if (agentId !== agent.id) await scope.exists('agents', agentId)
    return { agentId, threadId: agentId }
  }
  if (id === 'default')
    throw invalid({ in: agent.in, field: 'agent_id', message: 'is needed with the conversation "default"' })
  const { agent_id } = await scope.get(listedConversations, id)
  return { agentId: agent_id, threadId: id, conversationId: id }
}
