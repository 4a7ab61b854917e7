import { sql } from 'kysely'
import type { Scope } from '../db/scope.ts'

/** Facts that the last section of a prompt shows. They change with every message, and alone make no new prompt. */
export interface PromptFacts {
  agentId: string
  conversationId?: string | undefined
  /** The time of the compilation. */
  now: string
  /** Messages that are stored, but no longer in context. */
  recalled: number
  /** Passages in the agent's archives, and their tags. */
  passages: number
  tags: string[]
}

/** Rows that are counted at most, and tags that are shown. */
const MAX_COUNT = 10_000
const MAX_TAGS = 100

/** The facts of a thread with `inContext` messages in context, the system prompt among them. Large numbers are cut off. */
export async function loadFacts(
  scope: Scope,
  { agentId, conversationId }: Pick<PromptFacts, 'agentId' | 'conversationId'>,
  inContext: number,
  now: string,
): Promise<PromptFacts> {
  const { organizationId } = scope
  const conversation = conversationId === undefined ? sql`is null` : sql`= ${conversationId}`
  const [counts] = await scope.read<{ stored: number; passages: number; tags: string[] }>(sql`
    with stored as (
      select from messages where organization_id = ${organizationId} and agent_id = ${agentId}
        and conversation_id ${conversation} limit ${inContext + MAX_COUNT}::int
    ), archived as (
      select passages.tags from agents_archives as link
      join passages on passages.organization_id = ${organizationId} and passages.container_id = link.archive_id
      where link.organization_id = ${organizationId} and link.agent_id = ${agentId} limit ${MAX_COUNT}::int
    ), tags as (
      select distinct tag from archived, jsonb_array_elements_text(archived.tags) as tag order by tag limit ${MAX_TAGS}::int
    )
    select (select count(*)::int from stored) as stored, (select count(*)::int from archived) as passages,
      to_json(array(select tag from tags)) as tags`)
  const { stored, passages, tags } = counts!
  return { agentId, conversationId, now, recalled: Math.max(0, stored - inContext), passages, tags }
}

/** The section of the facts. */
export function factsSection({ agentId, conversationId, now, recalled, passages, tags }: PromptFacts): string {
  return [
    '<memory_metadata>',
    `- AGENT_ID: ${agentId}`,
    `- CONVERSATION_ID: ${conversationId ?? 'default'}`,
    `- System prompt last recompiled: ${now}`,
    `- ${recalled} previous messages between you and the user are stored in recall memory`,
    ...(passages > 0 ? [`- ${passages} passages are stored in archival memory`] : []),
    ...(tags.length > 0 ? [`- Tags in archival memory: ${tags.join(', ')}`] : []),
    '</memory_metadata>',
  ].join('\n')
}
