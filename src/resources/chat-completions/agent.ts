import { sql } from 'kysely'
import type { Scope } from '../../db/scope.ts'
import { notFound } from '../../lib/errors.ts'
import { fanOutOf, toMessages } from '../messages/fan-out.ts'
import type { ApprovalRequestMessage, Message } from '../messages/schema.ts'
import type { StoredMessage } from '../messages/table.ts'
import type { ChatMessage } from './schema.ts'

/** The newest messages of an agent in which the history of a request is looked for. */
const NEWEST = 200

/** An agent, as a chat needs it. */
export interface ChatAgent {
  agent_type: string
  model: string
  pending_approval: ApprovalRequestMessage | null
}

/** The agent of a request. 404. */
export async function findAgent(scope: Scope, id: string): Promise<ChatAgent> {
  const [agent] = await scope.query<ChatAgent>(sql`
    select agent_type, llm_config ->> 'model' as model, pending_approval
    from agents join threads on threads.organization_id = ${scope.organizationId} and threads.id = agents.id
    where agents.organization_id = ${scope.organizationId} and agents.id = ${id}`)
  if (!agent) throw notFound('agent', id)
  return agent
}

/** The newest messages of an agent's own thread that it has answered with, on the wire. */
async function newestAnswers(scope: Scope, id: string, { agent_type }: ChatAgent): Promise<Message[]> {
  const rows = await scope.query<StoredMessage>(sql`
    select * from messages where organization_id = ${scope.organizationId} and agent_id = ${id}
      and conversation_id is null and role in ('assistant', 'approval') order by created_at desc, id desc limit ${NEWEST}`)
  return rows.flatMap((row) => toMessages(row, fanOutOf(agent_type)))
}

const textOf = (content: ChatMessage['content']): string =>
  typeof content === 'string' ? content : (content ?? []).map(({ text }) => String(text ?? '')).join('')

/** The number of messages of a history up to the last answer that the agent gave itself: it has them in its own history. */
export async function countKnown(
  scope: Scope,
  id: string,
  agent: ChatAgent,
  messages: readonly ChatMessage[],
): Promise<number> {
  if (!messages.some(({ role }) => role === 'assistant')) return 0
  const answers = await newestAnswers(scope, id, agent)
  const texts = new Set(
    answers.flatMap(({ message_type, content }) => (message_type === 'assistant_message' ? String(content) : [])),
  )
  const calls = new Set(
    answers.flatMap(({ tool_calls }) =>
      Array.isArray(tool_calls) ? tool_calls.map(({ tool_call_id }) => tool_call_id) : [],
    ),
  )
  // A completion holds all texts of a run: the last of them is its end.
  const isKnown = ({ role, content, tool_calls }: ChatMessage) =>
    role === 'assistant' &&
    (tool_calls?.some((call) => calls.has(call.id)) ||
      texts.has(textOf(content)) ||
      texts.has(textOf(content).split(BETWEEN).at(-1)!))
  return messages.findLastIndex(isKnown) + 1
}

/** Between two texts of one completion. */
export const BETWEEN = '\n\n'
