import { type RawBuilder, sql } from 'kysely'
import type { Link } from '../../db/link.ts'
import { attachedTables, fragmentsOf } from '../../db/render/attached.ts'
import { placeholder } from '../../db/render/fragments.ts'
import { fieldJson, instantText, type Names } from '../../db/render/json-columns.ts'
import { onPage } from '../../db/render/page.ts'
import type { Resource } from '../../db/resource.ts'
import { blocks } from '../blocks/schema.ts'
import { sources } from '../folders/schema.ts'
import { groups } from '../groups/schema.ts'
import { identities } from '../identities/schema.ts'
import { tools } from '../tools/schema.ts'
import { fileBlocksTables } from './files/file-blocks.ts'
import { agentBlocks, agentFolders, agentIdentities, agentTools } from './links.ts'
import { type Include, LEGACY_INCLUDES } from './query.ts'
import { Agent } from './schema.ts'
import { secretsTable } from './secrets-rendering.ts'

type Field = Exclude<keyof Agent, 'memory'> | 'file_blocks'

/** How a relation is rendered: SQL for the JSON of some fields, and the tables that the SQL reads. */
export interface Relation {
  fields: Partial<Record<Field, RawBuilder<unknown>>>
  tables?: RawBuilder<unknown>[]
  /** The join of the last table, which has each agent's row, by `owner`. */
  join?: RawBuilder<unknown>
  /** The table of the fragments that the fields have placeholders for. */
  fragments?: string
  /** SQL of the bytes that the fields take, but for those of values with a small bound. */
  bytes?: RawBuilder<unknown>
}

/** The values that the SQL of relations depends on. */
export interface RelationContext {
  organizationId: unknown
  names: Names
  /** Whether the caller may see secret values. */
  withSecrets: boolean
}

const joined = (name: string) => sql`left join ${sql.table(name)} on ${sql.table(name)}.owner = agents.id`

/** A relation that a link attaches to agents. Its JSON stands in the agent's so many `times`. */
function linked(
  link: Link,
  target: Resource,
  fields: (json: RawBuilder<unknown>, ids: RawBuilder<unknown>) => Relation['fields'],
  times = 1,
) {
  const name = `attached_${target.table}`
  const ids = sql.ref(`${name}.ids`)
  const json = sql`coalesce('[' || ${placeholder(ids)} || ']', '[]')`
  const row = sql.table(target.table)
  const idList = sql`coalesce('["' || replace(${ids}, ',', '","') || '"]', '[]')`
  return (context: RelationContext): Relation => ({
    tables: attachedTables(name, link, target, context),
    join: joined(name),
    fragments: fragmentsOf(name),
    fields: fields(json, idList),
    bytes: sql`coalesce((
      select ${sql.lit(times)} * sum(${target.bytes}) from ${sql.table(link.table)} as link
        join ${row} on ${row}.organization_id = ${context.organizationId} and ${row}.id = link.${sql.ref(link.targetColumn)}
      where link.organization_id = ${context.organizationId} and link.${sql.ref(link.ownerColumn)} = agents.id), 0)`,
  })
}

// The agent's memory has its blocks once more.
const attachedBlocks = linked(agentBlocks, blocks, (json) => ({ blocks: json }), 2)

/** SQL of the bytes of a table's rows that belong to the agent by this column. */
const sumOfRows = (
  table: string,
  column: string,
  bytes: RawBuilder<unknown>,
  { organizationId }: RelationContext,
) => sql`coalesce((
  select sum(${bytes}) from ${sql.table(table)}
  where ${sql.table(table)}.organization_id = ${organizationId} and ${sql.ref(column)} = agents.id), 0)`

/** The blocks of an agent, and its files as blocks. */
function blocksRelation(context: RelationContext): Relation {
  const { tables = [], join, fields, fragments, bytes } = attachedBlocks(context)
  const openText = sql`case when is_open then octet_length(visible_content) end`
  return {
    tables: [...tables, ...fileBlocksTables('agent_files', context.organizationId, context.names)],
    join: sql`${join} ${joined('agent_files')}`,
    fields: { ...fields, file_blocks: sql`coalesce(agent_files.json, '[]')` },
    bytes: sql`${bytes} + ${sumOfRows('files_agents', 'agent_id', openText, context)}`,
    ...(fragments && { fragments }),
  }
}

function managedGroupRelation(context: RelationContext): Relation {
  const { organizationId, names } = context
  const json = placeholder(sql`managed.id`)
  return {
    // Of several groups, the oldest: groups that come and go don't replace it.
    tables: [
      sql`managed as (select distinct on (manager_agent_id) manager_agent_id as owner, id, ${groups.rendering[names].build(organizationId).json} as json
        from groups where organization_id = ${organizationId} and ${onPage(sql`manager_agent_id`)}
        order by manager_agent_id, id)`,
    ],
    join: joined('managed'),
    fragments: 'managed',
    fields: { managed_group: json, multi_agent_group: json },
    bytes: sumOfRows('groups', 'manager_agent_id', sql`2 * (${groups.bytes})`, context),
  }
}

function secretsRelation(context: RelationContext): Relation {
  const json = sql`coalesce(${placeholder(sql`agent_secrets.id`)}, '[]')`
  return {
    tables: [secretsTable('agent_secrets', context)],
    join: sql`left join agent_secrets on agent_secrets.id = agents.id`,
    fragments: 'agent_secrets',
    fields: { secrets: json, tool_exec_environment_variables: json },
    // Ciphertexts are a third longer, and each value is there under two names.
    ...(context.withSecrets && {
      bytes: sumOfRows('agent_environment_variables', 'agent_id', sql`octet_length(value_enc) * 3 / 2`, context),
    }),
  }
}

const EXPIRES_AT = instantText('threads.pending_expires_at')

/** The request that waits, with the instant at which it expires. */
const PENDING = {
  shape: Agent,
  source: (field: string) => `case when threads.pending_expires_at is null then threads.${field} else
    (threads.${field}::jsonb || jsonb_build_object('expires_at', ${EXPIRES_AT}))::json end`,
}

/** One entry per value of `include`. */
export const RELATIONS: Record<Include, (context: RelationContext) => Relation> = {
  'agent.blocks': blocksRelation,
  'agent.identities': linked(agentIdentities, identities, (json, ids) => ({ identities: json, identity_ids: ids })),
  'agent.managed_group': managedGroupRelation,
  'agent.pending_approval': ({ organizationId, names }) => ({
    fields: {
      pending_approval: sql`(select ${sql.raw(fieldJson(PENDING, 'pending_approval', names))} from threads
        where threads.organization_id = ${organizationId} and threads.id = agents.id)`,
    },
  }),
  'agent.secrets': secretsRelation,
  'agent.sources': linked(agentFolders, sources, (json) => ({ sources: json })),
  'agent.tags': () => ({ fields: { tags: sql`agents.tags::text` } }),
  'agent.tools': linked(agentTools, tools, (json) => ({ tools: json })),
}

/** The relations that are columns of the agent itself. */
export const OWN_COLUMNS: ReadonlySet<Include> = new Set(['agent.tags'])

export const ALL_RELATIONS = Object.keys(RELATIONS) as Include[]

/** The relations that either parameter requests, in a fixed order. Unknown names of the deprecated parameter are ignored. */
export function relationsOf(include: readonly Include[] = [], legacy: readonly string[] = []): Include[] {
  const requested = new Set([...include, ...legacy.map((name) => LEGACY_INCLUDES[name])])
  return ALL_RELATIONS.filter((relation) => requested.has(relation))
}
