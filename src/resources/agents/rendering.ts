import { sql } from 'kysely'
import { jsonMembers } from '../../db/render/json-columns.ts'
import type { Rendering } from '../../db/render/rendering.ts'
import type { Scope } from '../../db/scope.ts'
import type { Include } from './query.ts'
import { OWN_COLUMNS, RELATIONS, type Relation, type RelationContext } from './relations.ts'
import { Agent, agents, type Memory } from './schema.ts'
import { decryptSecrets } from './secrets-rendering.ts'

const NONE = sql`'[]'`

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
