import { sql } from 'kysely'
import type { Scope } from '../../db/scope.ts'
import { notFound } from '../../lib/errors.ts'
import { instantOf, newId } from '../../lib/ids.ts'
import type { MessageCreate } from './body.ts'

interface NewMessage {
  id: string
  role: string
  content: unknown[]
  name: string | undefined
  otid: string | undefined
  sender_id: string | undefined
}

const asParts = (content: MessageCreate['content']) =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : content

/** The messages a new agent begins with: its system prompt, then those given. */
export function firstMessages(system: string, given: readonly MessageCreate[]): NewMessage[] {
  const all: MessageCreate[] = [{ role: 'system', content: system }, ...given]
  return all.map(({ role, content, name, otid, sender_id }) => ({
    id: newId('message'),
    role,
    content: asParts(content),
    name,
    otid,
    sender_id,
  }))
}

/** Stores the messages of an agent made in this transaction. */
export async function insertMessages(scope: Scope, agentId: string, messages: readonly NewMessage[]): Promise<void> {
  const rows = messages.map(
    ({ id, role, content, name, otid, sender_id }) =>
      sql`(${scope.organizationId}, ${id}, ${agentId}, ${role}, ${JSON.stringify(content)}::jsonb, ${name ?? null},
        ${otid ?? null}, ${sender_id ?? null}, ${instantOf(id)!.toISOString()}::timestamptz)`,
  )
  await scope.query(sql`
    insert into messages (organization_id, id, agent_id, role, content, name, otid, sender_id, created_at)
    values ${sql.join(rows)}`)
}

/** 404 unless each of these is a message of the agent. */
export async function checkMessages(scope: Scope, agentId: string, ids: readonly string[]): Promise<void> {
  const [missing] = await scope.query<{ id: string }>(sql`
    select given.id from unnest(${ids}::text[]) as given (id) where not exists (
      select from messages where organization_id = ${scope.organizationId} and id = given.id and agent_id = ${agentId})
    limit 1`)
  if (missing) throw notFound('message', missing.id)
}
