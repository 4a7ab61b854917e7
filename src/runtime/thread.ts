import { sql } from 'kysely'
import type { Scope } from '../db/scope.ts'
import { createClock, inZone } from '../lib/clock.ts'
import { notFound } from '../lib/errors.ts'
import { nounOf } from '../lib/ids.ts'
import type { AgentWithRelations } from '../resources/agents/load.ts'
import { loadAgentIn } from '../resources/conversations/agent-in.ts'
import { asText } from '../resources/messages/packed.ts'
import type { StoredMessage, Target, ThreadRow, TokenCount } from '../resources/messages/table.ts'
import { loadFiles } from './directories.ts'
import { createMemory, type Memory } from './memory.ts'
import { compilePrompt, isCurrent, stablePrompt } from './prompt.ts'
import { loadFacts } from './prompt-facts.ts'

/** A thread with its agent. */
export interface Thread {
  agent: AgentWithRelations
  memory: Memory
  /** The row of the system prompt; undefined where the context has none. */
  system: StoredMessage | undefined
  /** The messages in context behind the system prompt. */
  rows: StoredMessage[]
  count: TokenCount | undefined
  shortenedTo: string | undefined
  /** When the request for approval that waits expires. */
  pendingUntil: string | undefined
  /** The files of the agent's folders. */
  files: Awaited<ReturnType<typeof loadFiles>>
}

/** A message in context. The first one also bears the columns of its thread. */
export type ContextRow = StoredMessage & Partial<Pick<ThreadRow, 'token_count' | 'shortened_to' | 'pending_expires_at'>>

/**
 * The messages in context of a thread, in their order. Each is found by its key, whatever the database estimates: a plan of the
 * first days of an organization would read all of its messages.
 */
export const loadContext = (scope: Scope, threadId: string): Promise<ContextRow[]> =>
  scope.read<ContextRow>(sql`
    select messages.*, case when n = 1 then threads.token_count end as token_count,
      case when n = 1 then threads.shortened_to end as shortened_to,
      case when n = 1 then threads.pending_expires_at end as pending_expires_at
    from threads
      cross join lateral json_array_elements_text(threads.message_ids) with ordinality as item (id, n)
      cross join lateral (
        select * from messages where organization_id = ${scope.organizationId} and id = item.id limit 1) as messages
    where threads.organization_id = ${scope.organizationId} and threads.id = ${threadId} order by n`)

/** Loads a thread with its agent. 404 for an agent that is gone. */
export async function loadThread(scope: Scope, target: Target): Promise<Thread> {
  const [agent, context] = await Promise.all([loadAgentIn(scope, target), loadContext(scope, target.threadId)])
  const [first, ...others] = context
  const system = first?.role === 'system' ? first : undefined
  return {
    agent,
    memory: createMemory(agent.blocks),
    system,
    rows: system ? others : context,
    count: first?.token_count ?? undefined,
    shortenedTo: first?.shortened_to ?? undefined,
    pendingUntil: first?.pending_expires_at ?? undefined,
    files: await loadFiles(scope, agent),
  }
}

/** Compiles the system prompt of a thread that has `inContext` messages in context behind the prompt. */
export async function compileThread(
  scope: Scope,
  target: Target,
  { agent, memory }: Pick<Thread, 'agent' | 'memory'>,
  inContext: number,
  now = inZone(new Date(), createClock(agent.row.timezone ?? 'UTC')),
): Promise<string> {
  const stable = stablePrompt(agent, memory, await loadFiles(scope, agent))
  return compilePrompt(stable, await loadFacts(scope, target, inContext + 1, now))
}

/** Whether the stored system prompt of a thread says all that it should, but for numbers and times. */
export const hasCurrentPrompt = ({ agent, memory, system, files }: Thread): boolean =>
  system !== undefined && isCurrent(asText(system.content), stablePrompt(agent, memory, files))

/** 404 unless the agent has this thread. */
export async function checkThread(scope: Scope, { agentId, threadId }: Target): Promise<void> {
  const [found] = await scope.read(sql`select id from threads
    where organization_id = ${scope.organizationId} and id = ${threadId} and agent_id = ${agentId}`)
  if (!found) throw notFound(nounOf(threadId), threadId)
}
