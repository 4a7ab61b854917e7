import { sql } from 'kysely'
import type { Filter } from '../../db/reads.ts'
import type { Scope } from '../../db/scope.ts'
import { escapeLike } from '../../db/search.ts'
import { conflict, inBody, invalid } from '../../lib/errors.ts'
import { withoutNulls } from '../../lib/json.ts'
import { agentTools } from '../agents/links.ts'
import { renameInRules } from './rules.ts'
import {
  BUILTIN_TYPES,
  type CreateTool,
  type ListTools,
  type Tool,
  type ToolFilters,
  tools,
  type UpdateTool,
} from './schema.ts'

/** What a tool has where nothing else was said. */
export const DEFAULTS = {
  source_type: 'python',
  tags: [],
  metadata_: {},
  return_char_limit: 50_000,
  enable_parallel_execution: false,
}

const NAME = /^[A-Za-z_][A-Za-z0-9_-]*$/
const MAX_NAME = 48

/** Which tools: one filter for lists and counts. */
function matchingTools(filters: ToolFilters): Filter<'tools'> {
  const { name, names, tool_ids, tool_types, exclude_tool_types, search } = filters
  const named = name === undefined ? names : [...(names ?? []), name]
  const among = (column: string, values: readonly string[]) =>
    sql<boolean>`${sql.ref(`tools.${column}`)} = any(${values}::text[])`
  return (query) => {
    let q = query
    if (named) q = q.where(among('name', named))
    if (tool_ids) q = q.where(among('id', tool_ids))
    if (tool_types) q = q.where(among('tool_type', tool_types))
    if (filters.return_only_svc_tools) q = q.where(among('tool_type', BUILTIN_TYPES))
    if (exclude_tool_types) q = q.where(sql<boolean>`not ${among('tool_type', exclude_tool_types)}`)
    if (filters.exclude_svc_tools) q = q.where(sql<boolean>`not ${among('tool_type', BUILTIN_TYPES)}`)
    if (search !== undefined) q = q.where('tools.name', 'ilike', `%${escapeLike(search)}%`)
    return q
  }
}

/** Tools of the organization, newest first. */
export function listTools(scope: Scope, { limit, order, order_by, after, before, ...filters }: ListTools) {
  return scope.list(tools, { limit, order, order_by, after, before }, matchingTools(filters))
}

/** How many tools the filters keep. */
export const countTools = (scope: Scope, filters: ToolFilters) => scope.count(tools, matchingTools(filters))

/** The ids of the tools with these names, by name; names the organization has no tool for are not in it. */
export async function toolsByName(scope: Scope, names: readonly string[]): Promise<Map<string, string>> {
  if (names.length === 0) return new Map()
  const rows = await scope.query(sql<{ id: string; name: string }>`
    select id, name from tools where organization_id = ${scope.organizationId} and name = any(${names}::text[])`)
  return new Map(rows.map(({ id, name }) => [name, id]))
}

/** The name a tool gets from its JSON schema. 422 where there is none, or none a model could call it by. */
function nameIn(schema: Record<string, unknown> | null | undefined): string {
  const name = schema?.name
  if (typeof name !== 'string') {
    const message = 'is required, as a string: the name is not yet derived from the source code'
    throw invalid(inBody('json_schema.name', message))
  }
  if (name.length > MAX_NAME) throw invalid(inBody('json_schema.name', `must have at most ${MAX_NAME} characters`))
  if (!NAME.test(name)) {
    throw invalid(inBody('json_schema.name', 'must be a function name: a letter or _, then letters, digits, _ and -'))
  }
  return name
}

/** The body's values for the row: a field that is null has its default again, where there is one. */
function columnsOf({ pip_requirements, npm_requirements, ...body }: UpdateTool) {
  const defaults: Record<string, unknown> = DEFAULTS
  return {
    ...Object.fromEntries(Object.entries(body).map(([field, value]) => [field, value ?? defaults[field] ?? null])),
    pip_requirements: withoutNulls(pip_requirements),
    npm_requirements: withoutNulls(npm_requirements),
  }
}

/** Makes a tool of the organization's own. 409 when one of that name exists, be it built in. */
export function createTool(scope: Scope, { json_schema, ...body }: CreateTool) {
  const name = nameIn(json_schema)
  const told = json_schema?.description
  return scope.insert(tools, {
    ...DEFAULTS,
    ...columnsOf(body),
    json_schema,
    description: body.description ?? (typeof told === 'string' ? told : undefined),
    name,
    tool_type: 'custom',
  })
}

function refuseBuiltin({ name, tool_type }: Tool, done: string): void {
  if (BUILTIN_TYPES.some((type) => type === tool_type)) {
    throw conflict(`${name} is a built-in tool: it cannot be ${done}.`)
  }
}

/** Changes a tool; a new name is carried into the rules of the agents. 409 for a built-in one, or a name that is taken. */
export async function updateTool(scope: Scope, id: string, body: UpdateTool): Promise<Tool> {
  const name = body.json_schema === undefined ? undefined : nameIn(body.json_schema)
  return scope.transaction(async (tx) => {
    const tool = await tx.get(tools, id)
    refuseBuiltin(tool, 'modified')
    if (name !== undefined && name !== tool.name) await renameInRules(tx, tool.name!, name)
    return tx.update(tools, id, { ...columnsOf(body), name })
  })
}

/** Deletes a tool, detached first from every agent that has it. 404; 409 for a built-in one. */
export async function deleteTool(scope: Scope, id: string): Promise<void> {
  await scope.transaction(async (tx) => {
    refuseBuiltin(await tx.get(tools, id), 'deleted')
    // Agents before the tool, as everywhere: whoever attaches a tool holds the agent first.
    const holders = await tx.query(sql<{ id: string }>`
      select id from agents where organization_id = ${tx.organizationId} and id in (
        select agent_id from agents_tools where organization_id = ${tx.organizationId} and tool_id = ${id})
      order by id for update`)
    for (const holder of holders) await tx.detach(agentTools, holder.id, id)
    await tx.remove(tools, id)
  })
}
