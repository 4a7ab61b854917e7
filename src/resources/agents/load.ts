import { sql } from 'kysely'
import type { Link } from '../../db/link.ts'
import { isReadable } from '../../db/render/page.ts'
import type { Resource } from '../../db/resource.ts'
import type { Scope } from '../../db/scope.ts'
import type { Table } from '../../db/select.ts'
import { notFound } from '../../lib/errors.ts'
import { type Block, blocks } from '../blocks/schema.ts'
import { type Folder, folders } from '../folders/schema.ts'
import { type Group, groups } from '../groups/schema.ts'
import { type Tool, tools } from '../tools/schema.ts'
import { agentBlocks, agentFolders, agentIdentities, agentTools } from './links.ts'
import type { AgentRow } from './table.ts'

/**
 * An agent with everything attached to it, each list in the order of attachment. Agents share the objects they have in
 * common.
 */
export interface AgentWithRelations {
  row: AgentRow & { message_ids: string[] }
  blocks: Block[]
  tools: Tool[]
  folders: Folder[]
  identity_ids: string[]
  /** The groups that the agent manages, oldest first. */
  managed_groups: Group[]
  /** The names of the secrets, in the order in which they were made. */
  secret_names: string[]
}

type RowWithIds = AgentWithRelations['row'] &
  Pick<AgentWithRelations, 'identity_ids' | 'secret_names'> &
  Record<'block_ids' | 'tool_ids' | 'folder_ids' | 'group_ids', string[]>

/** For one id the database keeps its plan; for a list it would make one anew each time. */
const isOneOf = (column: string, ids: readonly string[]) =>
  ids.length === 1
    ? sql<boolean>`${sql.ref(column)} = ${ids[0]}`
    : sql<boolean>`${sql.ref(column)} = any(${ids}::text[])`

const selectAgents = (scope: Scope, ids: readonly string[]) => {
  const organization = scope.organizationId
  const linkedIds = ({ table, targetColumn }: Link) => sql`to_json(array(
    select ${sql.ref(targetColumn)} from ${sql.table(table)}
    where organization_id = ${organization} and agent_id = agents.id order by position))`
  return scope.read<RowWithIds>(sql`
    select agents.*, ${linkedIds(agentBlocks)} as block_ids, ${linkedIds(agentTools)} as tool_ids,
      ${linkedIds(agentFolders)} as folder_ids, ${linkedIds(agentIdentities)} as identity_ids,
      to_json(array(select id from groups where organization_id = ${organization} and manager_agent_id = agents.id
        order by created_at, id)) as group_ids,
      (select message_ids from threads where organization_id = ${organization} and id = agents.id) as message_ids,
      to_json(array(select key from agent_environment_variables
        where organization_id = ${organization} and agent_id = agents.id order by id)) as secret_names
    from agents where organization_id = ${organization} and ${isOneOf('id', ids)}`)
}

const byId = <T extends { id?: string }>(rows: readonly T[]) => new Map(rows.map((row) => [row.id, row]))

const pick = <T>(rows: ReadonlyMap<string | undefined, T>, ids: readonly string[]): T[] =>
  ids.flatMap((id) => rows.get(id) ?? [])

const selectById = async <Wire extends { id?: string }, T extends Table>(
  scope: Scope,
  resource: Resource<Wire, T>,
  ids: readonly string[],
) => {
  if (ids.length === 0) return new Map<string | undefined, Wire>()
  const requested = isOneOf(`${resource.table}.id`, [...new Set(ids)])
  return byId(await scope.select(resource, (query) => query.where(requested)))
}

/** The resources attached to agents: read beside the agents, for nearly every agent has some. */
const selectAttached = async <Wire extends { id?: string }, T extends Table>(
  scope: Scope,
  resource: Resource<Wire, T>,
  { table, targetColumn }: Link,
  agentIds: readonly string[],
) => {
  const { table: target, bytes } = resource
  const organization = scope.organizationId
  const attached = sql<boolean>`${sql.ref(`${target}.id`)} in (select ${sql.ref(targetColumn)}
    from ${sql.table(table)} where organization_id = ${organization} and ${isOneOf('agent_id', agentIds)})`
  const all = sql`(select coalesce(sum(${bytes}), 0) from ${sql.table(target)} where organization_id = ${organization} and ${attached})`
  return byId(
    await scope.select(resource, (query) => query.where(attached).where(isReadable(all, sql`${agentIds[0]}`))),
  )
}

/**
 * The agents with these ids and their relations, in the order of the ids, by five statements at most. An id that the organization
 * doesn't have is left out. Call it in a transaction that locks the agents or reads one snapshot, if others may write.
 */
export async function loadAgents(scope: Scope, ids: readonly string[]): Promise<AgentWithRelations[]> {
  const [rows, blocksById, toolsById] = await Promise.all([
    selectAgents(scope, ids),
    selectAttached(scope, blocks, agentBlocks, ids),
    selectAttached(scope, tools, agentTools, ids),
  ])
  const linked = (list: 'folder_ids' | 'group_ids') => rows.flatMap((row) => row[list])
  const [foldersById, groupsById] = await Promise.all([
    selectById(scope, folders, linked('folder_ids')),
    selectById(scope, groups, linked('group_ids')),
  ])
  const agents = rows.map(({ block_ids, tool_ids, folder_ids, group_ids, identity_ids, secret_names, ...row }) => ({
    id: row.id,
    row,
    blocks: pick(blocksById, block_ids),
    tools: pick(toolsById, tool_ids),
    folders: pick(foldersById, folder_ids),
    identity_ids,
    managed_groups: pick(groupsById, group_ids),
    secret_names,
  }))
  return pick(byId(agents), ids)
}

/** The agent with this id and its relations. 404. As `loadAgents`. */
export async function loadAgent(scope: Scope, id: string): Promise<AgentWithRelations> {
  const [agent] = await loadAgents(scope, [id])
  if (!agent) throw notFound('agent', id)
  return agent
}
