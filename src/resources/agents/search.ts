import { type RawBuilder, sql } from 'kysely'
import { escapeLike } from '../../db/escape-like.ts'
import { NEXT } from '../../db/marks.ts'
import type { Rendered } from '../../db/render/rendered.ts'
import { renderObject } from '../../db/render/wrap.ts'
import type { Scope } from '../../db/scope.ts'
import { hasTags } from '../tags/filter.ts'
import { ALL_RELATIONS } from './relations.ts'
import { agentsWith } from './rendering.ts'
import { agents } from './schema.ts'
import type { Criterion, FoundAgents, SearchAgents } from './search-schema.ts'

/** `[project/]name[:version]`: the latest version by default; `current` (also `dev`) is the unsaved version. */
function madeFrom(organizationId: string, value: string): RawBuilder<boolean> {
  const [, project, name, version = 'latest'] = /^(?:([^/]*)\/)?([^:]*)(?::(.*))?$/s.exec(value)!
  const number =
    version === 'latest'
      ? sql`v.number = t.latest`
      : ['current', 'dev'].includes(version)
        ? sql`v.number is null`
        : sql`v.number::text = ${version}`
  const ofProject = project === undefined ? sql`true` : sql`p.slug = ${project}`
  return sql`exists (select from template_versions v
    join templates t on t.organization_id = ${organizationId} and t.id = v.template_id
    join projects p on p.organization_id = ${organizationId} and p.id = t.project_id
    where v.organization_id = ${organizationId} and v.id = agents.template_id
      and t.name = ${name} and ${number} and ${ofProject})`
}

/** The SQL conditions of a criterion. */
function conditionsOf(scope: Scope, criterion: Criterion): RawBuilder<boolean>[] {
  const { organizationId } = scope
  switch (criterion.field) {
    case 'name':
      return criterion.operator === 'eq'
        ? [sql`agents.name = ${criterion.value}`]
        : [sql`agents.name ilike ${`%${escapeLike(criterion.value)}%`}`]
    case 'tags':
      return hasTags(scope, 'agents', criterion.value, true)
    case 'version':
      return [madeFrom(organizationId, criterion.value)]
    case 'templateName':
      return [
        sql`exists (select from templates t where t.organization_id = ${organizationId}
          and t.id = agents.base_template_id and t.name = ${criterion.value})`,
      ]
    case 'identity':
      return [
        sql`exists (select from agents_identities l
          join identities i on i.organization_id = ${organizationId} and i.id = l.identity_id
          where l.organization_id = ${organizationId} and l.agent_id = agents.id
            and (i.id = ${criterion.value} or i.identifier_key = ${criterion.value}))`,
      ]
    case 'agentId':
      return [sql`agents.id = ${criterion.value}`]
  }
}

/** The agents that meet every criterion, with all that belongs to them, newest first; hidden ones are left out. */
export async function searchAgents(scope: Scope, body: SearchAgents): Promise<Rendered<FoundAgents>> {
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
