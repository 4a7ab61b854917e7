import { sql } from 'kysely'
import type { Scope } from '../../db/scope.ts'
import { BUILTIN_TOOLS } from './builtin/all.ts'
import { BUILTIN_TYPES, type Tool, tools } from './schema.ts'
import { DEFAULTS, toolsByName } from './tools.ts'

/**
 * Adds the built-in tools that the organization lacks, in one statement that other callers can run concurrently; if none
 * is missing, with one select only. A tool of the organization with the name of a built-in tool stays.
 */
export async function addBuiltinTools(scope: Scope): Promise<void> {
  const existing = await toolsByName(
    scope,
    BUILTIN_TOOLS.map(({ name }) => name),
  )
  const missing = BUILTIN_TOOLS.filter(({ name }) => !existing.has(name))
  await scope.insertOnConflictDoNothing(
    tools,
    missing.map(({ name, tool_type, description, parameters, parallel }) => ({
      ...DEFAULTS,
      name,
      tool_type,
      description,
      json_schema: { name, description, parameters },
      tags: [tool_type],
      enable_parallel_execution: parallel,
    })),
  )
}

/** The built-in tools of the organization, oldest first, after any it lacks are added. */
export async function ensureBuiltinTools(scope: Scope): Promise<Tool[]> {
  await addBuiltinTools(scope)
  return scope.select(tools, (query) =>
    query
      .where(sql<boolean>`tools.tool_type = any(${BUILTIN_TYPES}::text[])`)
      .orderBy('tools.created_at')
      .orderBy('tools.id'),
  )
}
