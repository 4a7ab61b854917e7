import { type Client, path } from '../client.ts'
import { findId } from '../find.ts'

/** Whom a chat is with: where messages go, and where runs are cancelled. */
export interface Target {
  agentId: string
  messages: string
  cancel: string
  name: string
}

/** An agent by its id or name, or a conversation with it. */
export async function findTarget(client: Client, reference: string, conversation?: string): Promise<Target> {
  const agentId = await findId(client, 'agent', reference)
  const { name } = await client.get<{ name: string }>(path`/v1/agents/${agentId}`)
  const agent = path`/v1/agents/${agentId}`
  if (conversation === undefined)
    return { agentId, name, messages: `${agent}/messages`, cancel: `${agent}/messages/cancel` }
  const route = path`/v1/conversations/${conversation}`
  return { agentId, name, messages: `${route}/messages`, cancel: `${route}/cancel` }
}
