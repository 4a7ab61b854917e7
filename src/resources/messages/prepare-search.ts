import { sql } from 'kysely'
import type { Scope } from '../../db/scope.ts'
import { notFound } from '../../lib/errors.ts'
import { modelKey } from '../models/embedding.ts'
import type { EmbeddingConfig } from '../models/schema.ts'
import { type PreparedSearch, prepareOn, type SearchDeps, type SearchRequest } from '../passages/prepare-search.ts'
import type { Corpus } from '../passages/search-filter.ts'
import type { ServingModel } from '../passages/search-targets.ts'
import type { Role } from './table.ts'

/** The texts of messages, with their vectors. */
export const MESSAGES: Corpus = {
  texts: 'message_texts',
  container: 'agent_id',
  vectors: 'message_texts',
  textId: 'id',
  prefix: 'agent-',
}

/** Which messages a search may find. */
export interface MessageTarget {
  agent_id?: string | null | undefined
  conversation_id?: string | null | undefined
  project_id?: string | null | undefined
  template_id?: string | null | undefined
  roles?: readonly Role[] | null | undefined
}

interface Row {
  config: EmbeddingConfig | null
  timezone: string
}

/** The embedding models of the agent, or of all agents, and the agent's time zone. 404. */
async function resolve({ query, organizationId }: Scope, agentId: string | null | undefined) {
  const rows = await query<Row>(
    agentId
      ? sql`select embedding_config as config, timezone from agents where organization_id = ${organizationId} and id = ${agentId}`
      : sql`select distinct embedding_config as config from agents
          where organization_id = ${organizationId} and embedding_config is not null`,
  )
  if (agentId && rows.length === 0) throw notFound('agent', agentId)
  const models = new Map<string, ServingModel>()
  for (const { config } of rows) {
    if (config)
      models.set(modelKey(config), { key: modelKey(config), config, containers: agentId ? [agentId] : undefined })
  }
  return { models: [...models.values()], timezone: rows[0]?.timezone ?? null }
}

/**
 * Prepares a search of messages. It calls embedding models over the network, so it must run outside any transaction. 404 for an
 * agent that the organization doesn't have, 422 for an invalid date and for a search by vectors where no agent has a model.
 */
export async function prepareMessageSearch(
  scope: Scope,
  deps: SearchDeps,
  { agent_id, conversation_id, project_id, template_id, roles }: MessageTarget,
  request: SearchRequest,
): Promise<PreparedSearch> {
  const ofAgents = (column: 'project_id' | 'template_id', value: string) => sql`exists (select from agents
    where agents.organization_id = ${scope.organizationId} and agents.id = p.agent_id and agents.${sql.ref(column)} = ${value})`
  const ground = {
    ...(await resolve(scope, agent_id)),
    corpus: MESSAGES,
    containers: agent_id ? [agent_id] : undefined,
    hosted: undefined,
    conditions: [
      ...(roles ? [sql`p.role = any(${roles}::text[])`] : []),
      ...(conversation_id ? [sql`p.conversation_id = ${conversation_id}`] : []),
      ...(project_id ? [ofAgents('project_id', project_id)] : []),
      ...(template_id ? [ofAgents('template_id', template_id)] : []),
    ],
  }
  return prepareOn(scope, deps, ground, request)
}
