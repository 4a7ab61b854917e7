import { sql } from 'kysely'
import { insertRecords } from '../../db/records.ts'
import type { Scope } from '../../db/scope.ts'
import { notFound } from '../../lib/errors.ts'
import { instantOf, newId } from '../../lib/ids.ts'
import type { MessageCreate } from './body.ts'

/** A message to be stored. Its id holds its instant. */
export interface NewMessage {
  id: string
  role: string
  content: readonly unknown[]
  name?: string | null | undefined
  otid?: string | null | undefined
  sender_id?: string | null | undefined
  model?: string | null | undefined
  group_id?: string | null | undefined
  tool_calls?: readonly unknown[] | null | undefined
  tool_call_id?: string | null | undefined
  tool_returns?: readonly unknown[] | null | undefined
  approval_request_id?: string | null | undefined
  approve?: boolean | null | undefined
  denial_reason?: string | null | undefined
  approvals?: readonly unknown[] | null | undefined
}

export const asParts = (content: MessageCreate['content']) =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : content

/** The messages a new agent begins with: its system prompt, then `initial`. */
export function firstMessages(system: string, initial: readonly MessageCreate[]): NewMessage[] {
  const all: MessageCreate[] = [{ role: 'system', content: system }, ...initial]
  return all.map(({ role, content, name, otid, sender_id }) => ({
    id: newId('message'),
    role,
    content: asParts(content),
    name,
    otid,
    sender_id,
  }))
}

/** Stores the messages of agents made in this transaction, by the agent's id. */
export const insertMessages = (scope: Scope, byAgent: ReadonlyMap<string, readonly NewMessage[]>): Promise<void> =>
  insertRecords(
    scope,
    'messages',
    [...byAgent].flatMap(([agent_id, messages]) =>
      messages.map((message) => ({ ...message, agent_id, created_at: instantOf(message.id)!.toISOString() })),
    ),
  )

/** 404 unless each of these is a message of the agent. */
export async function checkMessages(scope: Scope, agentId: string, ids: readonly string[]): Promise<void> {
  const [missing] = await scope.query<{ id: string }>(sql`
    select given.id from unnest(${ids}::text[]) as given (id) where not exists (
      select from messages where organization_id = ${scope.organizationId} and id = given.id and agent_id = ${agentId})
    limit 1`)
  if (missing) throw notFound('message', missing.id)
}
