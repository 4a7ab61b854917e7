import { sql } from 'kysely'
import type { Scope } from '../../db/scope.ts'
import { type Embedders, modelKey } from '../models/embedding.ts'
import type { EmbeddingConfig } from '../models/schema.ts'
import { embedTexts } from '../passages/embed.ts'
import { VECTORS_AT_ONCE } from '../passages/vectors.ts'

/** The messages in memory. */
const AT_ONCE = 64

/** The messages that one turn embeds, before the jobs of other organizations have their turns. */
const MESSAGES_PER_TURN = 1024

/** The characters of a message that its vector stands for: a text beyond the limit of its model would be refused. */
const MAX_TEXT = 8000

/** Messages of an agent without a vector of the model. */
const withoutVector = (scope: Scope, agentId: string, model: string) => {
  const some = (condition: ReturnType<typeof sql>) => sql`(
    select id from message_texts where organization_id = ${scope.organizationId} and agent_id = ${agentId} and ${condition}
    order by model, id limit ${AT_ONCE})`
  return scope.query<{ id: string; text: string }>(sql`
    select m.id, left(message_text(m.role, m.name, m.step_id, m.content, m.tool_calls, m.tool_returns), ${MAX_TEXT}) as text
    from (${some(sql`model is null`)} union all ${some(sql`model < ${model}`)} union all ${some(sql`model > ${model}`)}) as lacking
      join messages m on m.organization_id = ${scope.organizationId} and m.id = lacking.id
    order by m.id limit ${AT_ONCE}`)
}

/**
 * Embeds one turn of an agent's messages that have no vector of its model. Returns whether there may be more. After an
 * interruption at any point, the next call continues. Throws the embedder's error.
 */
export async function embedMessages(
  scope: Scope,
  embedders: Embedders,
  agentId: string,
  signal: AbortSignal,
): Promise<boolean> {
  const { organizationId } = scope
  const [agent] = await scope.query<{ config: EmbeddingConfig | null }>(sql`
    select embedding_config as config from agents where organization_id = ${organizationId} and id = ${agentId}`)
  if (!agent?.config) return false
  const key = modelKey(agent.config)
  for (let embedded = 0; embedded < MESSAGES_PER_TURN; embedded += AT_ONCE) {
    const batch = await withoutVector(scope, agentId, key)
    if (batch.length === 0) return false
    const texts = batch.map(({ text }) => text)
    const { model, vectors } = await embedTexts(scope, embedders, agent.config, texts, signal)
    const ids = batch.map(({ id }) => id)
    const made = vectors.map((vector) => `[${vector.join(',')}]`)
    for (let at = 0; at < ids.length; at += VECTORS_AT_ONCE) {
      const end = at + VECTORS_AT_ONCE
      await scope.query(sql`
        update message_texts set model = ${model}, embedding = made.embedding::vector
        from unnest(${ids.slice(at, end)}::text[], ${made.slice(at, end)}::text[]) as made (id, embedding)
        where organization_id = ${organizationId} and message_texts.id = made.id returning message_texts.id`)
    }
  }
  return true
}
