import { type RawBuilder, sql } from 'kysely'
import { jsonMembers, type Names } from '../../db/render/json-columns.ts'
import type { Rendering } from '../../db/render/rendering.ts'
import type { Scope } from '../../db/scope.ts'
import { emptyValue } from '../../lib/vendor-empty-values.ts'
import type { Include } from './query.ts'
import { OWN_COLUMNS, RELATIONS, type Relation, type RelationContext } from './relations.ts'
import { Agent, agents, type Memory, OPTIONAL_RELATIONS } from './schema.ts'
import { decryptSecrets } from './secrets-rendering.ts'

const NONE = sql`'[]'`

/** The JSON of relations that aren't asked for: empty where the field is required, null where it isn't. */
const NOT_LOADED: Relation['fields'] = {
  ...{ blocks: NONE, tools: NONE, sources: NONE, tags: NONE, file_blocks: NONE },
  ...Object.fromEntries(OPTIONAL_RELATIONS.map((field) => [field, sql`null::text`])),
}

/** The fields of the relations, their tables, and the agent's memory, which is made of the fields. */
function renderRelations(context: RelationContext, relations: readonly Include[]) {
  const rendered = relations.map((relation) => RELATIONS[relation](context))
  const { file_blocks, ...fields }: Relation['fields'] = Object.assign(
    { ...NOT_LOADED },
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
      bytes: rendered.flatMap((relation) => relation.bytes ?? []),
    },
  }
}

/** The values of the caller that the SQL of relations depends on. */
const contextOf = (scope: Scope) => ({ names: scope.names, withSecrets: scope.can('secrets') })

const cacheKeyOf = (scope: Scope) => `${scope.names} ${scope.can('secrets')}`

/** SQL of a member of an agent's JSON; in neutral names, null where the field has no value. */
function memberOf(names: Names, field: string, json: RawBuilder<unknown>) {
  const value =
    names === 'vendor' ? sql`coalesce(${json}, ${sql.lit(JSON.stringify(emptyValue('Agent', field)))})` : json
  return sql`${sql.lit(`"${field}":`)} || ${value}`
}

/**
 * The rendering of agents with these relations. In neutral names, other relations are empty where the field is required and absent where it
 * isn't, so that a client can distinguish "empty" from "not loaded".
 */
export const agentsWith = (scope: Scope, relations: readonly Include[]): Rendering<Agent> => ({
  cacheKey: ['agents', cacheKeyOf(scope), ...relations].join(),
  build(organizationId) {
    const { fields, memory, from } = renderRelations({ organizationId, ...contextOf(scope) }, relations)
    const members = Object.entries({ ...fields, memory }).map(([field, json]) => memberOf(scope.names, field, json))
    const own = agents.rendering[scope.names].members(organizationId)
    return { ...from, json: sql`'{' || concat_ws(',', ${own}, ${sql.join(members)}) || '}'` }
  },
  composed: relations.every((relation) => OWN_COLUMNS.has(relation))
    ? undefined
    : relations.map((relation) => `include=${relation}`).join('&'),
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
  composed: '',
})
