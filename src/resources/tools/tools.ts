import { sql } from 'kysely'
import { escapeLike } from '../../db/escape-like.ts'
import type { Scope } from '../../db/scope.ts'
import type { Filter } from '../../db/select.ts'
import { VALUES } from '../../lib/vendor-names.ts'
import { BUILTIN_TYPES, type ListTools, type Tool, type ToolFilters, tools } from './schema.ts'

/** The default values of the fields of a tool. */
export const DEFAULTS = {
  source_type: 'python',
  tags: [],
  metadata_: {},
  return_char_limit: 50_000,
  enable_parallel_execution: false,
}

/** The effects of a change of a tool on its agents. src/routes.ts passes them, as this folder knows no agents. */
export interface ToolHolders {
  /** Detaches a tool from every agent that has it, inside the scope's transaction. */
  detachTool(tx: Scope, id: string): Promise<void>
  /** Carries the new name of a tool into the rules of every agent, inside the scope's transaction. */
  renameTool(tx: Scope, from: string, to: string): Promise<void>
}

/** The filter that lists and counts share. */
function matchingTools(filters: ToolFilters, project?: string | undefined): Filter<'tools'> {
  const { name, names, tool_ids, tool_types, exclude_tool_types, search } = filters
  const named = name === undefined ? names : [...(names ?? []), name]
  const among = (column: string, values: readonly string[]) =>
    sql<boolean>`${sql.ref(`tools.${column}`)} = any(${values}::text[])`
  return (query) => {
    let q = query
    // A tool of no project belongs to every project.
    if (project !== undefined) q = q.where(sql<boolean>`(tools.project_id = ${project} or tools.project_id is null)`)
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

/** Tools of the organization, newest first; with a project, its tools and the tools of no project. */
export function listTools(
  scope: Scope,
  { limit, order, order_by, after, before, ...filters }: ListTools,
  project?: string | undefined,
) {
  return scope.list(tools, { limit, order, order_by, after, before }, matchingTools(filters, project))
}

/** The number of tools that the filters keep. */
export const countTools = (scope: Scope, filters: ToolFilters, project?: string | undefined) =>
  scope.count(tools, matchingTools(filters, project))

/** A tool with the tags that the caller reads: the tag of a built-in tool is its type, in the caller's names. */
export const withTags = ({ names }: Scope, tool: Tool): Tool =>
  names === 'vendor' && BUILTIN_TYPES.some((type) => type === tool.tool_type)
    ? { ...tool, tags: [VALUES[tool.tool_type!]!] }
    : tool

/** The ids of the tools with these names, by name. A name without a tool is absent. */
export async function toolsByName(scope: Scope, names: readonly string[]): Promise<Map<string, string>> {
  if (names.length === 0) return new Map()
  const rows = await scope.read(sql<{ id: string; name: string }>`
    select id, name from tools where organization_id = ${scope.organizationId} and name = any(${names}::text[])`)
  return new Map(rows.map(({ id, name }) => [name, id]))
}
