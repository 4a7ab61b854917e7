import { type Static, Type } from 'typebox'
import { FilterList, Id, Name, OneOf, Page, Query } from '../../lib/wire.ts'
import { StopReason } from '../messages/schema.ts'

const { Optional } = Type

export const INCLUDES = [
  'agent.blocks',
  'agent.identities',
  'agent.managed_group',
  'agent.pending_approval',
  'agent.secrets',
  'agent.sources',
  'agent.tags',
  'agent.tools',
] as const
export type Include = (typeof INCLUDES)[number]

/** The names of the deprecated `include_relationships`, and the relations they stand for. */
export const LEGACY_INCLUDES: Record<string, Include> = {
  memory: 'agent.blocks',
  blocks: 'agent.blocks',
  tools: 'agent.tools',
  sources: 'agent.sources',
  tags: 'agent.tags',
  identities: 'agent.identities',
  identity_ids: 'agent.identities',
  managed_group: 'agent.managed_group',
  multi_agent_group: 'agent.managed_group',
  secrets: 'agent.secrets',
  tool_exec_environment_variables: 'agent.secrets',
  pending_approval: 'agent.pending_approval',
}

const includes = {
  include: Optional(FilterList(OneOf(INCLUDES), { description: 'The relations to load. None by default.' })),
  include_relationships: Optional(
    FilterList(Type.String(), { description: 'Deprecated: use include. Names such as tools, sources, memory.' }),
  ),
}

/** Which agents: the filters lists and counts share. */
const filters = {
  name: Optional(Type.String({ description: 'Exactly this name.' })),
  query_text: Optional(Name({ description: 'Part of the name, in any case.' })),
  tags: Optional(FilterList(Type.String(), { description: 'Agents with any of these tags.' })),
  match_all_tags: Optional(Type.Boolean({ description: 'Agents with all of the tags instead.' })),
  identity_id: Optional({ ...Id('identity'), description: 'Linked to this identity.' }),
  identifier_keys: Optional(
    FilterList(Type.String(), { description: 'Linked to an identity with any of these keys.' }),
  ),
  project_id: Optional(Type.String()),
  template_id: Optional(Type.String()),
  base_template_id: Optional(Type.String()),
  created_by_id: Optional(Type.String({ description: 'Made by this user.' })),
  last_stop_reason: Optional(StopReason),
  show_hidden_agents: Optional(Type.Boolean({ description: 'Hidden agents too.' })),
}

export const CountAgents = Query(filters)
export type AgentFilters = Static<typeof CountAgents>

const SORT_KEYS = ['created_at', 'updated_at', 'last_run_completion'] as const

export const ListAgents = Query({
  ...Page('agent', SORT_KEYS),
  ...filters,
  ...includes,
  ascending: Optional(Type.Boolean({ description: 'Deprecated: use order. False, the default, is newest first.' })),
  sort_by: Optional(OneOf(['created_at', 'last_run_completion'], { description: 'Deprecated: use order_by.' })),
})
export type ListAgents = Static<typeof ListAgents>

export const RetrieveAgent = Query(includes)
export type Includes = Static<typeof RetrieveAgent>

/** Lists of the agents of another resource. */
export const ListRelatedAgents = Query({ ...Page('agent', SORT_KEYS), ...includes })
export type ListRelatedAgents = Static<typeof ListRelatedAgents>
