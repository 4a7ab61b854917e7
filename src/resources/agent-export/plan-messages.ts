import { randomInt } from 'node:crypto'
import { inBody } from '../../lib/errors.ts'
import { idAt, instantOf } from '../../lib/ids.ts'
import { firstThread } from '../messages/first-messages.ts'
import { asParts, type NewMessage, type NewThread } from '../messages/insert.ts'
import type { MessageEntry, Placed, PlacedAgent } from './entry-schema.ts'
import { joinPlaces } from './fit.ts'
import { parseInstant } from './instant.ts'
import type { NewIds, PlanContext } from './plan-context.ts'

/** The thread of an agent. Its messages have ids that hold their instants. */
export function planThread(
  agent: PlacedAgent,
  { system, agent_type: type, timezone }: { system: string; agent_type: string; timezone: string },
  { options, ids, issues }: PlanContext,
): NewThread {
  const strip = options.strip_messages
  if (strip || agent.messages.length === 0) {
    const given = strip ? [] : (agent.initial_message_sequence ?? [])
    return firstThread(system, type, timezone, given)
  }
  // Messages of one instant stay in the order of the file.
  const first = randomInt(1, 2 ** 31)
  const now = new Date()
  const messageIds = new Map(
    agent.messages.map(({ id, at, created_at }, n) => {
      const instant = created_at == null ? now : parseInstant(created_at)
      if (!instant) {
        issues.add(inBody(joinPlaces(at, 'created_at'), 'must be a date and time since 1970, as in ISO 8601'))
      }
      return [id, idAt('message', instant ?? now, first + n)]
    }),
  )
  const context = agent.in_context_message_ids ?? agent.messages.map(({ id }) => id)
  const messages = agent.messages.map((message) => planMessage(message, messageIds, ids))
  const message_ids = context.map((id) => messageIds.get(id)!)
  if (messages.some(({ role }) => role === 'system')) return { messages, message_ids }
  // A file without its system prompt gets one before all others.
  const [prompt] = firstThread(system, type, timezone, []).messages
  const id = idAt('message', instantOf(messages[0]!.id!) ?? now, first - 1)
  return { messages: [{ ...prompt!, id }, ...messages], message_ids: [id, ...message_ids] }
}

function planMessage(
  { at: _, agent_id: __, created_at: ___, id, content, text, ...message }: Placed<MessageEntry>,
  messageIds: ReadonlyMap<string, string>,
  ids: NewIds,
): NewMessage {
  const { sender_id, group_id, approval_request_id, ...rest } = message
  return {
    ...rest,
    id: messageIds.get(id)!,
    content: asParts((content ?? text ?? []) as never),
    sender_id: (sender_id && ids.agents.get(sender_id)) ?? sender_id,
    group_id: group_id && ids.groups.get(group_id),
    approval_request_id: (approval_request_id && messageIds.get(approval_request_id)) ?? approval_request_id,
  }
}
