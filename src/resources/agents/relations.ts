import { type RawBuilder, sql } from 'kysely'
import { membersOf } from '../../db/members.ts'
import type { Link, Resource, Versioned, Written } from '../../db/resource.ts'
import type { Scope } from '../../db/scope.ts'
import { attached, onPage, referenceTo, sharedBy } from '../../db/written.ts'
import { blocks } from '../blocks/schema.ts'
import { sources } from '../folders/schema.ts'
import { groups } from '../groups/schema.ts'
import { identities } from '../identities/schema.ts'
import { tools } from '../tools/schema.ts'
import { writtenFileBlocks } from './files/file-blocks.ts'
import { agentBlocks, agentFolders, agentIdentities, agentTools } from './links.ts'
import { type Include, LEGACY_INCLUDES } from './query.ts'
import { Agent, agents } from './schema.ts'
import { revealSecrets, writtenSecrets } from './secrets.ts'

export type Loaded = Agent & Versioned

type Field = Exclude<keyof Agent, 'memory'> | 'file_blocks'

/** What is loaded with an agent: SQL for the JSON of some fields, and the tables it is taken from. */
interface Relation {
  fields: Partial<Record<Field, RawBuilder<unknown>>>
  tables?: RawBuilder<unknown>[]
  /** The tables' last: it has each agent's row, by `owner`. */
  join?: RawBuilder<unknown>
  /** Which of the tables the fields refer to. */
  shared?: string
}

const NONE = sql`'[]'`

const ownColumn = (field: string) => `agents.${field}`

const joined = (name: string) => sql`left join ${sql.table(name)} on ${sql.table(name)}.owner = agents.id`

/** What a link attaches to agents. */
function linked(
  link: Link,
  target: Resource,
  fields: (json: RawBuilder<unknown>, ids: RawBuilder<unknown>) => Relation['fields'],
) {
  const name = `attached_${target.table}`
  const ids = sql.ref(`${name}.ids`)
  const json = sql`coalesce('[' || ${referenceTo(ids)} || ']', '[]')`
  const idList = sql`coalesce('["' || replace(${ids}, ',', '","') || '"]', '[]')`
  return (scope: Scope): Relation => ({
    tables: attached(name, link, target, scope),
    join: joined(name),
    shared: sharedBy(name),
    fields: fields(json, idList),
  })
}

/** One entry per value of `include`. */
const RELATIONS: Record<Include, (scope: Scope) => Relation> = {
  'agent.blocks': (scope) => {
    const own = ownBlocks(scope)
    return {
      ...own,
      tables: [...own.tables!, ...writtenFileBlocks('own_files', scope.organizationId)],
      join: sql`${own.join} ${joined('own_files')}`,
      fields: { ...own.fields, file_blocks: sql`coalesce(own_files.json, '[]')` },
    }
  },
  'agent.identities': linked(agentIdentities, identities, (json, ids) => ({ identities: json, identity_ids: ids })),
  'agent.managed_group': ({ organizationId, names }) => {
    const json = referenceTo(sql`managed.id`)
    return {
      // Of several, the oldest: it stays the same while others come and go.
      tables: [
        sql`managed as (select distinct on (manager_agent_id) manager_agent_id as owner, id, ${groups.written[names].json} as json
          from groups where organization_id = ${organizationId} and ${onPage(sql`manager_agent_id`)}
          order by manager_agent_id, id)`,
      ],
      join: joined('managed'),
      shared: 'managed',
      fields: { managed_group: json, multi_agent_group: json },
    }
  },
  'agent.pending_approval': () => ({ fields: { pending_approval: sql`agents.pending_approval::text` } }),
  'agent.secrets': (scope) => {
    const json = sql`coalesce(${referenceTo(sql`own_secrets.id`)}, '[]')`
    return {
      tables: [writtenSecrets('own_secrets', scope)],
      join: sql`left join own_secrets on own_secrets.id = agents.id`,
      shared: 'own_secrets',
      fields: { secrets: json, tool_exec_environment_variables: json },
    }
  },
  'agent.sources': linked(agentFolders, sources, (json) => ({ sources: json })),
  'agent.tags': () => ({ fields: { tags: sql`agents.tags::text` } }),
  'agent.tools': linked(agentTools, tools, (json) => ({ tools: json })),
}

const ownBlocks = linked(agentBlocks, blocks, (json) => ({ blocks: json }))

/** Those that are columns of the agent itself. */
const OWN_COLUMNS: ReadonlySet<Include> = new Set(['agent.pending_approval', 'agent.tags'])

export const ALL_RELATIONS = Object.keys(RELATIONS) as Include[]

/** The relations asked for, by either parameter, in an order of their own; unknown names of the deprecated one ask for nothing. */
export function relationsOf(include?: readonly Include[], legacy: readonly string[] = []): Include[] {
  const asked = new Set<string | undefined>(include ?? legacy.map((name) => LEGACY_INCLUDES[name]))
  return ALL_RELATIONS.filter((relation) => asked.has(relation))
}

/** The relations' fields, their tables, and the agent's memory, which is made of them. */
function load(scope: Scope, relations: readonly Include[]) {
  const loaded = relations.map((relation) => RELATIONS[relation](scope))
  const { file_blocks, ...fields }: Relation['fields'] = Object.assign(
    { blocks: NONE, tools: NONE, sources: NONE, tags: NONE, file_blocks: NONE },
    ...loaded.map((relation) => relation.fields),
  )
  const type = membersOf({ properties: { agent_type: Agent.properties.agent_type } }, ownColumn, scope.names)
  const memory = sql`'{' || ${sql.raw(type)} || ',"blocks":' || ${fields.blocks}
    || ',"file_blocks":' || ${file_blocks} || ',"git_enabled":false,"prompt_template":""}'`
  return {
    fields,
    memory,
    tables: loaded.flatMap((relation) => relation.tables ?? []),
    joins: loaded.flatMap((relation) => relation.join ?? []),
    shared: loaded.flatMap((relation) => relation.shared ?? []),
  }
}

/**
 * How agents go out with these relations. Those not asked for are empty where the field is required, and absent where
 * it isn't, so that "empty" and "not loaded" can be told apart.
 */
export const agentsWith = (scope: Scope, relations: readonly Include[]): Written => ({
  form: ['agents', formOf(scope), ...relations].join(),
  parts() {
    const { fields, memory, ...from } = load(scope, relations)
    const members = Object.entries({ ...fields, memory }).map(
      ([name, json]) => sql`${sql.lit(`"${name}":`)} || ${json}`,
    )
    const json = sql`'{' || concat_ws(',', ${sql.raw(agents.written[scope.names].members)}, ${sql.join(members)}) || '}'`
    return { ...from, json }
  },
  composed: relations.some((relation) => !OWN_COLUMNS.has(relation)),
  complete:
    relations.includes('agent.secrets') && scope.can('secrets')
      ? (sheet, text) => revealSecrets(scope, sheet, text)
      : undefined,
})

/** What the SQL of relations hangs on but which they are. */
const formOf = (scope: Scope) => `${scope.names} ${scope.can('secrets')}`

/** An agent's memory alone. */
export const memoryOf = (scope: Scope): Written => ({
  form: ['memory', formOf(scope)].join(),
  parts() {
    const { memory, fields, ...from } = load(scope, ['agent.blocks'])
    return { ...from, json: memory }
  },
  composed: true,
})
