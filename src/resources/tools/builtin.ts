import { sql } from 'kysely'
import type { Scope } from '../../db/scope.ts'
import { CORE_TOOLS } from './builtin/core.ts'
import { FILE_TOOLS } from './builtin/files.ts'
import { MEMORY_TOOLS, SLEEPTIME_TOOLS } from './builtin/memory.ts'
import { MULTI_AGENT_TOOLS } from './builtin/multi-agent.ts'
import { VOICE_TOOLS } from './builtin/voice.ts'
import { WEB_AND_CODE_TOOLS } from './builtin/web-and-code.ts'
import { BUILTIN_TYPES, type Tool, tools } from './schema.ts'
import { DEFAULTS, withTags } from './tools.ts'

/** Every built-in tool: the records that agents attach and models read. */
export const BUILTIN_TOOLS = [
  ...CORE_TOOLS,
  ...MEMORY_TOOLS,
  ...SLEEPTIME_TOOLS,
  ...MULTI_AGENT_TOOLS,
  ...VOICE_TOOLS,
  ...FILE_TOOLS,
  ...WEB_AND_CODE_TOOLS,
]

/** The row of a built-in tool, without the columns of its definition. */
const rowOf = ({ name, tool_type, parallel }: (typeof BUILTIN_TOOLS)[number]) => ({
  ...DEFAULTS,
  name,
  tool_type,
  tags: [tool_type],
  enable_parallel_execution: parallel,
})

/** What models read of a built-in tool. */
const definitionOf = ({ name, description, parameters }: (typeof BUILTIN_TOOLS)[number]) => ({
  description,
  json_schema: { name, description, parameters },
})

interface Existing {
  id: string
  name: string
  isBuiltin: boolean
  /** Whether it has the definition of this version of the server. */
  isCurrent: boolean
}

/** The tools of the organization with the names of built-in tools, by name. */
async function existingTools(scope: Scope): Promise<Map<string, Existing>> {
  const definitions = BUILTIN_TOOLS.map((tool) => ({ name: tool.name, schema: definitionOf(tool).json_schema }))
  const rows = await scope.query<Existing>(sql`
    select id, tools.name, tool_type = any(${BUILTIN_TYPES}::text[]) as "isBuiltin", json_schema::jsonb = schema as "isCurrent"
    from jsonb_to_recordset(${JSON.stringify(definitions)}::jsonb) as definition (name text, schema jsonb)
      join tools on tools.organization_id = ${scope.organizationId} and tools.name = definition.name`)
  return new Map(rows.map((row) => [row.name, row]))
}

/**
 * Adds the built-in tools that the organization lacks, and brings the definitions of the others up to date, each in one
 * statement that other callers can run concurrently; if there is nothing to do, with one select only. A tool of the
 * organization with the name of a built-in tool stays.
 */
export async function addBuiltinTools(scope: Scope): Promise<void> {
  const existing = await existingTools(scope)
  const stale = BUILTIN_TOOLS.flatMap((tool) => {
    const { id, isBuiltin, isCurrent } = existing.get(tool.name) ?? {}
    return id && isBuiltin && !isCurrent ? [{ id, ...definitionOf(tool) }] : []
  })
  if (stale.length > 0) await scope.updateMany(tools, stale)
  const missing = BUILTIN_TOOLS.filter(({ name }) => !existing.has(name))
  await scope.insertOnConflictDoNothing(
    tools,
    missing.map((tool) => ({ ...rowOf(tool), ...definitionOf(tool) })),
  )
}

/** The built-in tools of the organization, oldest first, after any it lacks are added. */
export async function ensureBuiltinTools(scope: Scope): Promise<Tool[]> {
  await addBuiltinTools(scope)
  const all = await scope.select(tools, (query) =>
    query
      .where(sql<boolean>`tools.tool_type = any(${BUILTIN_TYPES}::text[])`)
      .orderBy('tools.created_at')
      .orderBy('tools.id'),
  )
  return all.map((tool) => withTags(scope, tool))
}
