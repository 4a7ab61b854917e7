import { type RawBuilder, sql } from 'kysely'
import type { Link } from '../../db/link.ts'
import { attachedTables, fragmentsOf } from '../../db/render/attached.ts'
import { placeholder } from '../../db/render/fragments.ts'
import { jsonMembers, type Names } from '../../db/render/json-columns.ts'
import { onPage } from '../../db/render/page.ts'
import type { Rendering } from '../../db/render/rendering.ts'
import type { Resource } from '../../db/resource.ts'
import type { Scope } from '../../db/scope.ts'
import { blocks } from '../blocks/schema.ts'
import { sources } from '../folders/schema.ts'
import { groups } from '../groups/schema.ts'
import { identities } from '../identities/schema.ts'
import { tools } from '../tools/schema.ts'
import { fileBlocksTables } from './files/file-blocks.ts'
import { agentBlocks, agentFolders, agentIdentities, agentTools } from './links.ts'
import { type Include, LEGACY_INCLUDES } from './query.ts'
import { Agent, agents, type Memory } from './schema.ts'
import { decryptSecrets, secretsTable } from './secrets-rendering.ts'

type Field = Exclude<keyof Agent, 'memory'> | 'file_blocks'

/** How a relation is rendered: SQL for the JSON of some fields, and the tables that the SQL reads. */
interface Relation {
  fields: Partial<Record<Field, RawBuilder<unknown>>>
  tables?: RawBuilder<unknown>[]
  /** The join of the last table, which has each agent's row, by `owner`. */
  join?: RawBuilder<unknown>
  /** The table of the fragments that the fields have placeholders for. */
  fragments?: string
}

/** The values that the SQL of relations depends on. */
interface RelationContext {
  organizationId: unknown
  names: Names
  /** Whether the caller may see secret values. */
  withSecrets: boolean
}

const NONE = sql`'[]'`

const joined = (name: string) => sql`left join ${sql.table(name)} on ${sql.table(name)}.owner = agents.id`

/** A relation that a link attaches to agents. */
function linked(
  link: Link,
  target: Resource,
  fields: (json: RawBuilder<unknown>, ids: RawBuilder<unknown>) => Relation['fields'],
) {
  const name = `attached_${target.table}`
  const ids = sql.ref(`${name}.ids`)
  const json = sql`coalesce('[' || ${placeholder(ids)} || ']', '[]')`
  const idList = sql`coalesce('["' || replace(${ids}, ',', '","') || '"]', '[]')`
  return (context: RelationContext): Relation => ({
    tables: attachedTables(name, link, target, context),
    join: joined(name),
    fragments: fragmentsOf(name),
    fields: fields(json, idList),
  })
}

const attachedBlocks = linked(agentBlocks, blocks, (json) => ({ blocks: json }))

/** The blocks of an agent, and its files as blocks. */
function blocksRelation(context: RelationContext): Relation {
  const { tables = [], join, fields, fragments } = attachedBlocks(context)
  return {
    tables: [...tables, ...fileBlocksTables('agent_files', context.organizationId)],
    join: sql`${join} ${joined('agent_files')}`,
    fields: { ...fields, file_blocks: sql`coalesce(agent_files.json, '[]')` },
    ...(fragments && { fragments }),
  }
}

function managedGroupRelation({ organizationId, names }: RelationContext): Relation {
  const json = placeholder(sql`managed.id`)
  return {
    // Of several groups, the oldest: groups that come and go don't replace it.
    tables: [
      sql`managed as (select distinct on (manager_agent_id) manager_agent_id as owner, id, ${groups.rendering[names].json} as json
        from groups where organization_id = ${organizationId} and ${onPage(sql`manager_agent_id`)}
        order by manager_agent_id, id)`,
    ],
    join: joined('managed'),
    fragments: 'managed',
    fields: { managed_group: json, multi_agent_group: json },
  }
}

function secretsRelation({ organizationId, withSecrets }: RelationContext): Relation {
  const json = sql`coalesce(${placeholder(sql`agent_secrets.id`)}, '[]')`
  return {
    tables: [secretsTable('agent_secrets', organizationId, withSecrets)],
    join: sql`left join agent_secrets on agent_secrets.id = agents.id`,
    fragments: 'agent_secrets',
    fields: { secrets: json, tool_exec_environment_variables: json },
  }
}

/** One entry per value of `include`. */
const RELATIONS: Record<Include, (context: RelationContext) => Relation> = {
  'agent.blocks': blocksRelation,
  'agent.identities': linked(agentIdentities, identities, (json, ids) => ({ identities: json, identity_ids: ids })),
  'agent.managed_group': managedGroupRelation,
  'agent.pending_approval': () => ({ fields: { pending_approval: sql`agents.pending_approval::text` } }),
  'agent.secrets': secretsRelation,
  'agent.sources': linked(agentFolders, sources, (json) => ({ sources: json })),
  'agent.tags': () => ({ fields: { tags: sql`agents.tags::text` } }),
  'agent.tools': linked(agentTools, tools, (json) => ({ tools: json })),
}

/** The relations that are columns of the agent itself. */
const OWN_COLUMNS: ReadonlySet<Include> = new Set(['agent.pending_approval', 'agent.tags'])

export const ALL_RELATIONS = Object.keys(RELATIONS) as Include[]

/** The requested relations, by either parameter, in a fixed order. Unknown names of the deprecated parameter are ignored. */
export function relationsOf(include?: readonly Include[], legacy: readonly string[] = []): Include[] {
  const requested = new Set<string | undefined>(include ?? legacy.map((name) => LEGACY_INCLUDES[name]))
  return ALL_RELATIONS.filter((relation) => requested.has(relation))
}

/** The fields of the relations, their tables, and the agent's memory, which is made of the fields. */
function renderRelations(context: RelationContext, relations: readonly Include[]) {
  const rendered = relations.map((relation) => RELATIONS[relation](context))
  const { file_blocks, ...fields }: Relation['fields'] = Object.assign(
    { blocks: NONE, tools: NONE, sources: NONE, tags: NONE, file_blocks: NONE },
    ...rendered.map((relation) => relation.fields),
  )
  const shape = { properties: { agent_type: Agent.properties.agent_type } }
  const type = jsonMembers({ shape, source: (field) => `agents.${field}` }, context.names)
  const memory = sql`'{' || ${sql.raw(type)} || ',"blocks":' || ${fields.blocks}
    || ',"file_blocks":' || ${file_blocks} || ',"git_enabled":false,"prompt_template":""}'`
  return {
    fields,
    memory,
    from: {
      tables: rendered.flatMap((relation) => relation.tables ?? []),
      joins: rendered.flatMap((relation) => relation.join ?? []),
      fragments: rendered.flatMap((relation) => relation.fragments ?? []),
    },
  }
}

/** The values of the caller that the SQL of relations depends on. */
const contextOf = (scope: Scope) => ({ names: scope.names, withSecrets: scope.can('secrets') })

const cacheKeyOf = (scope: Scope) => `${scope.names} ${scope.can('secrets')}`

/**
 * The rendering of agents with these relations. Other relations are empty where the field is required and absent where it
 * isn't, so that a client can distinguish "empty" from "not loaded".
 */
export const agentsWith = (scope: Scope, relations: readonly Include[]): Rendering<Agent> => ({
  cacheKey: ['agents', cacheKeyOf(scope), ...relations].join(),
  build(organizationId) {
    const { fields, memory, from } = renderRelations({ organizationId, ...contextOf(scope) }, relations)
    const members = Object.entries({ ...fields, memory }).map(
      ([name, json]) => sql`${sql.lit(`"${name}":`)} || ${json}`,
    )
    const own = sql.raw(agents.rendering[scope.names].members)
    return { ...from, json: sql`'{' || concat_ws(',', ${own}, ${sql.join(members)}) || '}'` }
  },
  composed: relations.some((relation) => !OWN_COLUMNS.has(relation)),
  decryptSecrets:
    relations.includes('agent.secrets') && scope.can('secrets') ? (text) => decryptSecrets(scope, text) : undefined,
})

/** The rendering of an agent's memory alone. */
export const memoryOf = (scope: Scope): Rendering<Memory> => ({
  cacheKey: ['memory', cacheKeyOf(scope)].join(),
  build(organizationId) {
    const { memory, from } = renderRelations({ organizationId, ...contextOf(scope) }, ['agent.blocks'])
    return { ...from, json: memory }
  },
  composed: true,
})
