import { sql } from 'kysely'
import type { Static } from 'typebox'
import { insertRecords } from '../../db/records.ts'
import type { Scope } from '../../db/scope.ts'
import { conflict, notFound } from '../../lib/errors.ts'
import { instantOf } from '../../lib/ids.ts'
import type { MessageCreate } from './body.ts'
import type { PendingRequestMessage } from './schema.ts'
import type { MessageRow } from './table.ts'

type Nullable<T> = { [K in keyof T]?: T[K] | null | undefined }

/** A message to be stored. Its id holds its instant. Other columns than those of its contents are the runtime's. */
export type NewMessage = Pick<MessageRow, 'id'> & { role: string; content: readonly unknown[] } & Nullable<{
    name: string
    otid: string
    sender_id: string
    model: string
    group_id: string
    tool_calls: readonly unknown[]
    tool_call_id: string
    tool_returns: readonly unknown[]
    approval_request_id: string
    approve: boolean
    denial_reason: string
    approvals: readonly unknown[]
  }>

/** The messages that an agent begins with, and the ids of those in context. */
export interface NewThread {
  messages: readonly NewMessage[]
  message_ids: readonly string[]
}

/** Content as parts. */
export const asParts = (content: MessageCreate['content']) =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : content

/** The rows of messages of an agent. */
const rowsOf = (agent_id: string, messages: readonly NewMessage[]) =>
  messages.map((message) => ({ ...message, agent_id, created_at: instantOf(message.id)!.toISOString() }))

/** Stores messages of an agent. */
export const insertMessages = (scope: Scope, agentId: string, messages: readonly NewMessage[]): Promise<void> =>
  insertRecords(scope, 'messages', rowsOf(agentId, messages))

/** Stores the threads and the messages of agents made in this transaction, by the agent's id. */
export async function insertThreads(scope: Scope, byAgent: ReadonlyMap<string, NewThread>): Promise<void> {
  const threads = [...byAgent].map(([id, { message_ids }]) => ({
    id,
    agent_id: id,
    message_ids,
    queue_no: 0,
    waiting: 0,
  }))
  await insertRecords(scope, 'threads', threads)
  await insertRecords(
    scope,
    'messages',
    [...byAgent].flatMap(([id, { messages }]) => rowsOf(id, messages)),
  )
}

/** 404 unless each of these is a message of the agent. */
export async function checkMessages(scope: Scope, agentId: string, ids: readonly string[]): Promise<void> {
  const [missing] = await scope.query<{ id: string }>(sql`
    select given.id from unnest(${ids}::text[]) as given (id) where not exists (
      select from messages where organization_id = ${scope.organizationId} and id = given.id and agent_id = ${agentId})
    limit 1`)
  if (missing) throw notFound('message', missing.id)
}

/** 404 unless each of these is a group of the organization. */
export async function checkGroups(scope: Scope, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  const [missing] = await scope.query<{ id: string }>(sql`
    select given.id from unnest(${ids}::text[]) as given (id) where not exists (
      select from groups where organization_id = ${scope.organizationId} and id = given.id) limit 1`)
  if (missing) throw notFound('group', missing.id)
}

/**
 * Replaces the messages in context of an agent, and the request that waits for approval; undefined leaves a value as it is.
 * 409 while a run of the agent is carried out, which would be lost.
 */
export async function setThread(
  scope: Scope,
  id: string,
  {
    message_ids,
    pending_approval,
  }: {
    message_ids?: readonly string[] | undefined
    pending_approval?: Static<typeof PendingRequestMessage> | null | undefined
  },
): Promise<void> {
  const { expires_at = null, ...request } = pending_approval ?? {}
  const values = [
    ...(message_ids === undefined
      ? []
      : [sql`message_ids = ${JSON.stringify(message_ids)}::json, token_count = null, shortened_to = null`]),
    ...(pending_approval === undefined
      ? []
      : [
          sql`pending_approval = ${pending_approval && JSON.stringify(request)}::json,
            pending_expires_at = ${expires_at}::timestamptz`,
        ]),
  ]
  if (values.length === 0) return
  const changed = await scope.query(sql`update threads set ${sql.join(values)}
    where organization_id = ${scope.organizationId} and id = ${id} and run_id is null returning id`)
  if (changed.length === 0) {
    throw conflict('The agent is at work: its messages in context change when the run has ended, or is cancelled.')
  }
}
