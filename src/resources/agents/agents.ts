import { sql } from 'kysely'
import { escapeLike } from '../../db/escape-like.ts'
import type { Rendered } from '../../db/render/rendered.ts'
import type { Scope } from '../../db/scope.ts'
import { cacheable, type Filter } from '../../db/select.ts'
import { hasIdentity, hasTags } from '../tags/filter.ts'
import type { AgentFilters, Includes, ListAgents, ListRelatedAgents } from './query.ts'
import { relationsOf } from './relations.ts'
import { agentsWith } from './rendering.ts'
import { type Agent, agents } from './schema.ts'

/** The filter of a list without query parameters. */
const visible = cacheable<'agents'>('visible', (query) => query.where('agents.hidden', 'is not', true))

/** Which agents: one filter for lists and counts. */
export function matchingAgents(scope: Scope, filters: AgentFilters): Filter<'agents'> {
  const { query_text, tags, match_all_tags } = filters
  const exact = ['name', 'project_id', 'template_id', 'base_template_id', 'created_by_id', 'last_stop_reason'] as const
  return (query) => {
    let q = query
    for (const column of exact) if (filters[column] !== undefined) q = q.where(`agents.${column}`, '=', filters[column])
    if (!filters.show_hidden_agents) q = visible(q)
    if (query_text !== undefined) q = q.where('agents.name', 'ilike', `%${escapeLike(query_text)}%`)
    for (const condition of [
      ...hasTags(scope, 'agents', tags, match_all_tags),
      ...hasIdentity(scope, 'agents', filters),
    ]) {
      q = q.where(condition)
    }
    return q
  }
}

/** Agents of the organization, newest first, with the relations asked for. */
export async function listAgents(scope: Scope, query: ListAgents) {
  const { limit, after, before, ascending, sort_by, include, include_relationships, ...filters } = query
  const order = query.order ?? (ascending === undefined ? undefined : ascending ? 'asc' : 'desc')
  const order_by = query.order_by ?? sort_by
  return scope.list(
    agents,
    { limit, after, before, order, order_by },
    Object.values(filters).some(Boolean) ? matchingAgents(scope, filters) : visible,
    agentsWith(scope, relationsOf(include, include_relationships)),
  )
}

/** How many agents the same filters keep. */
export const countAgents = (scope: Scope, filters: AgentFilters) => scope.count(agents, matchingAgents(scope, filters))

/** The agents something is attached to: those that `table` joins to `id`. */
export async function listAgentsOf(
  scope: Scope,
  table: 'agents_archives' | 'agents_blocks' | 'agents_folders' | 'agents_identities' | 'agents_tools',
  column: 'archive_id' | 'block_id' | 'source_id' | 'identity_id' | 'tool_id',
  id: string,
  { include, include_relationships, ...page }: ListRelatedAgents,
) {
  const attached = sql<boolean>`exists (select from ${sql.table(table)} as link
    where link.organization_id = ${scope.organizationId} and link.agent_id = agents.id
      and ${sql.ref(`link.${column}`)} = ${id})`
  const rendering = agentsWith(scope, relationsOf(include, include_relationships))
  return scope.list(agents, page, (query) => query.where(attached), rendering)
}

/** One agent with the requested relations. 404. */
export const retrieveAgent = (
  scope: Scope,
  id: string,
  { include, include_relationships }: Includes,
): Promise<Rendered<Agent>> =>
  scope.retrieve(agents, id, agentsWith(scope, relationsOf(include, include_relationships)))
