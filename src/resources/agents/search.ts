import { type RawBuilder, sql } from 'kysely'
import { type Static, Type } from 'typebox'
import { escapeLike } from '../../db/escape-like.ts'
import { NEXT } from '../../db/marks.ts'
import { type Rendered, renderObject } from '../../db/render/rendered.ts'
import type { Scope } from '../../db/scope.ts'
import { idPattern } from '../../lib/ids.ts'
import { Create, Name, OneOf, Ref } from '../../lib/wire.ts'
import { hasTags } from '../tags/filter.ts'
import { ALL_RELATIONS, agentsWith } from './relations.ts'
import { Agent, agents } from './schema.ts'

const is = (field: string) => Type.Literal(field)
const EQUALS = { operator: OneOf(['eq']), value: Type.String() }

/** What agents are searched by. */
export type Criterion =
  | { field: 'name'; operator: 'eq' | 'contains'; value: string }
  | { field: 'tags'; operator: 'contains'; value: string[] }
  | { field: 'version'; value: string }
  | { field: 'identity' | 'templateName' | 'agentId'; operator: 'eq'; value: string }

const Criterion = Type.Unsafe<Criterion>({
  anyOf: [
    Create({ field: is('name'), operator: OneOf(['eq', 'contains']), value: Type.String() }, [
      'field',
      'operator',
      'value',
    ]),
    Create({ field: is('tags'), operator: OneOf(['contains']), value: Type.Array(Name()) }, [
      'field',
      'operator',
      'value',
    ]),
    Create({ field: is('version'), value: Type.String() }, ['field', 'value']),
    ...['identity', 'templateName', 'agentId'].map((field) =>
      Create({ field: is(field), ...EQUALS }, ['field', 'operator', 'value']),
    ),
  ],
})

export const SearchAgents = Create({
  search: Type.Array(Criterion, { maxItems: 20, description: 'What the agents must be, all of it.' }),
  project_id: Name(),
  combinator: OneOf(['AND']),
  limit: Type.Integer({ minimum: 1, maximum: 200, description: 'How many at most: 1 to 200. Default 50.' }),
  after: Type.String({ pattern: idPattern('agent'), description: 'The nextCursor of the page before.' }),
  sortBy: OneOf(['created_at', 'last_run_completion', 'updated_at']),
  ascending: Type.Boolean({ description: 'Oldest first. Default false.' }),
})
export type SearchAgents = Static<typeof SearchAgents>

export const FoundAgents = Type.Object(
  {
    agents: Type.Array(Ref(Agent)),
    nextCursor: Type.Optional(Type.String({ description: 'Where the next page begins.' })),
  },
  { additionalProperties: false },
)

/** `[project/]name[:version]`: the latest version unless told, `current` (also `dev`) for what was being worked on. */
function madeFrom(value: string): RawBuilder<boolean> {
  const [, project, name, version = 'latest'] = /^(?:([^/]*)\/)?([^:]*)(?::(.*))?$/s.exec(value)!
  const number =
    version === 'latest'
      ? sql`v.number = t.latest`
      : ['current', 'dev'].includes(version)
        ? sql`v.number is null`
        : sql`v.number::text = ${version}`
  const ofProject = project === undefined ? sql`true` : sql`p.slug = ${project}`
  return sql`exists (select from template_versions v
    join templates t on t.organization_id = v.organization_id and t.id = v.template_id
    join projects p on p.organization_id = t.organization_id and p.id = t.project_id
    where v.organization_id = agents.organization_id and v.id = agents.template_id
      and t.name = ${name} and ${number} and ${ofProject})`
}

/** What a criterion asks of an agent. */
function conditionsOf(scope: Scope, criterion: Criterion): RawBuilder<boolean>[] {
  switch (criterion.field) {
    case 'name':
      return criterion.operator === 'eq'
        ? [sql`agents.name = ${criterion.value}`]
        : [sql`agents.name ilike ${`%${escapeLike(criterion.value)}%`}`]
    case 'tags':
      return hasTags(scope, 'agents', criterion.value, true)
    case 'version':
      return [madeFrom(criterion.value)]
    case 'templateName':
      return [
        sql`exists (select from templates t where t.organization_id = agents.organization_id
          and t.id = agents.base_template_id and t.name = ${criterion.value})`,
      ]
    case 'identity':
      return [
        sql`exists (select from agents_identities l
          join identities i on i.organization_id = l.organization_id and i.id = l.identity_id
          where l.organization_id = agents.organization_id and l.agent_id = agents.id
            and (i.id = ${criterion.value} or i.identifier_key = ${criterion.value}))`,
      ]
    case 'agentId':
      return [sql`agents.id = ${criterion.value}`]
  }
}

/** The agents that meet every criterion, with all that belongs to them, newest first; hidden ones are left out. */
export async function searchAgents(scope: Scope, body: SearchAgents): Promise<Rendered<Static<typeof FoundAgents>>> {
  const { search, project_id, limit, after, sortBy, ascending } = body
  const conditions = (search ?? []).flatMap((criterion) => conditionsOf(scope, criterion))
  if (project_id) conditions.push(sql`agents.project_id = ${project_id}`)
  const page = await scope.list(
    agents,
    {
      limit: limit ?? undefined,
      after: after ?? undefined,
      order_by: sortBy ?? undefined,
      order: ascending ? 'asc' : 'desc',
    },
    (query) =>
      conditions.reduce((kept, condition) => kept.where(condition), query.where('agents.hidden', 'is not', true)),
    agentsWith(scope, ALL_RELATIONS),
  )
  const nextCursor = page[NEXT]?.after
  return renderObject({ agents: page, ...(nextCursor !== undefined && { nextCursor }) })
}
