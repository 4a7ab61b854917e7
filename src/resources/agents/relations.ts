import { sql } from 'kysely'
import type { Attached } from '../../db/reads.ts'
import type { PageOf, Versioned } from '../../db/resource.ts'
import { NEXT, VERSION } from '../../db/resource.ts'
import type { Scope } from '../../db/scope.ts'
import { composed } from '../../db/writes.ts'
import { RawJson, serialize } from '../../lib/json.ts'
import { blocks } from '../blocks/schema.ts'
import { fileBlocksOf } from '../folders/file-blocks.ts'
import { sources } from '../folders/schema.ts'
import { type Group, groups } from '../groups/schema.ts'
import { identities } from '../identities/schema.ts'
import { tools } from '../tools/schema.ts'
import { agentBlocks, agentFolders, agentIdentities, agentTools } from './links.ts'
import { type Include, LEGACY_INCLUDES } from './query.ts'
import type { Agent, AgentRowWire } from './schema.ts'
import { secretsOf } from './secrets.ts'

export type Loaded = Agent & Versioned

/** What is loaded with an agent, besides its own row. */
type Relations = Omit<Agent, keyof AgentRowWire>

type Loader = (scope: Scope, byId: Map<string, Relations>) => Promise<void>

/** Nothing attached, as it goes out. */
const NONE: Attached = { ids: [], json: new RawJson('[]') }

/** Sets a field of every agent from what was loaded for the page. */
function fill<T>(
  byId: Map<string, Relations>,
  found: Map<string, T>,
  none: T,
  set: (agent: Relations, value: T) => void,
) {
  for (const [id, agent] of byId) set(agent, found.get(id) ?? none)
}

/** Written JSON in the place of the list it is. It goes out, and nothing here looks into it. */
const asList = ({ json }: Attached) => json as unknown as never[]

const ids = (byId: Map<string, Relations>) => [...byId.keys()]

/** One loader per value of `include`: each loads its relation for a whole page by a constant number of statements. */
const LOADERS: Record<Include, Loader> = {
  async 'agent.blocks'(scope, byId) {
    fill(byId, await scope.linked(agentBlocks, blocks, ids(byId)), NONE, (agent, attached) => {
      agent.blocks = asList(attached)
      agent.memory.blocks = asList(attached)
    })
    fill(byId, await fileBlocksOf(scope, ids(byId)), [], (agent, list) => {
      agent.memory.file_blocks = list
    })
  },
  async 'agent.identities'(scope, byId) {
    fill(byId, await scope.linked(agentIdentities, identities, ids(byId)), NONE, (agent, attached) => {
      agent.identities = asList(attached)
      agent.identity_ids = attached.ids
    })
  },
  async 'agent.managed_group'(scope, byId) {
    const managed = await scope.select(groups, (query) =>
      query.where(sql<boolean>`groups.manager_agent_id = any(${ids(byId)}::text[])`).orderBy('groups.id', 'desc'),
    )
    const found = Map.groupBy(managed as Group[], (group) => group.manager_agent_id!)
    // Of several, the oldest: it stays the same while others come and go.
    fill(byId, found, [], (agent, list) => {
      const group = list.at(-1)
      if (!group) return
      agent.managed_group = group
      agent.multi_agent_group = group
    })
  },
  async 'agent.pending_approval'(scope, byId) {
    const rows = await scope.query<Pick<Agent, 'id' | 'pending_approval'>>(sql`
      select id, pending_approval from agents where organization_id = ${scope.organizationId}
        and id = any(${ids(byId)}::text[]) and pending_approval is not null`)
    for (const row of rows) byId.get(row.id)!.pending_approval = row.pending_approval!
  },
  async 'agent.secrets'(scope, byId) {
    fill(byId, await secretsOf(scope, ids(byId)), [], (agent, list) => {
      agent.secrets = list
      agent.tool_exec_environment_variables = list
    })
  },
  async 'agent.sources'(scope, byId) {
    fill(byId, await scope.linked(agentFolders, sources, ids(byId)), NONE, (agent, attached) => {
      agent.sources = asList(attached)
    })
  },
  async 'agent.tags'(scope, byId) {
    const rows = await scope.query<Pick<Agent, 'id' | 'tags'>>(sql`
      select id, tags from agents where organization_id = ${scope.organizationId} and id = any(${ids(byId)}::text[])`)
    for (const row of rows) byId.get(row.id)!.tags = row.tags
  },
  async 'agent.tools'(scope, byId) {
    fill(byId, await scope.linked(agentTools, tools, ids(byId)), NONE, (agent, attached) => {
      agent.tools = asList(attached)
    })
  },
}

export const ALL_RELATIONS = Object.keys(LOADERS) as Include[]

/** The relations asked for, by either parameter; unknown names of the deprecated one ask for nothing. */
export function relationsOf(include?: readonly Include[], legacy: readonly string[] = []): Include[] {
  if (include) return [...new Set(include)]
  const named = legacy.map((name) => LEGACY_INCLUDES[name])
  return [...new Set(named.filter((relation) => relation !== undefined))]
}

/** The relations of an agent before any is loaded. The order of the fields is that of the answer. */
const nothingLoaded = (agent_type: string): Relations => ({
  blocks: [],
  tools: [],
  sources: [],
  tags: [],
  memory: { agent_type, blocks: [], file_blocks: [], git_enabled: false, prompt_template: '' },
  ...ABSENT,
})

const ABSENT = {
  identities: undefined,
  identity_ids: undefined,
  managed_group: undefined,
  multi_agent_group: undefined,
  pending_approval: undefined,
  secrets: undefined,
  tool_exec_environment_variables: undefined,
} as unknown as Pick<Relations, 'identities'>

/** The row with its relations, be it written already or not. */
function withRelations(row: AgentRowWire & Versioned, relations: Relations): Loaded {
  if (row instanceof RawJson) {
    return new RawJson(`${row.text.slice(0, -1)},${serialize(relations).slice(1)}`) as unknown as Loaded
  }
  return Object.assign(row, relations)
}

/**
 * The agents with these relations. Those not asked for are empty where the field is required, and absent where it
 * isn't, so that "empty" and "not loaded" can be told apart.
 */
export async function loadRelations(
  scope: Scope,
  rows: PageOf<AgentRowWire & Versioned>,
  relations: readonly Include[],
): Promise<PageOf<Loaded>> {
  const byId = new Map(rows.map((row) => [row.id, nothingLoaded(row.agent_type)]))
  // One after the other: a request holds one connection of the pool, however much it asks for.
  if (byId.size > 0) for (const relation of relations) await LOADERS[relation](scope, byId)
  const loaded: PageOf<Loaded> = rows.map((row) => withRelations(row, byId.get(row.id)!))
  if (relations.length > 0) for (const agent of loaded) if (agent[VERSION] !== undefined) composed(agent)
  loaded[NEXT] = rows[NEXT]
  return loaded
}
