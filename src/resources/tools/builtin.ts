import { sql } from 'kysely'
import type { Scope } from '../../db/scope.ts'
import { BUILTIN_TOOLS } from './builtin/all.ts'
import { BUILTIN_TYPES, type Tool, tools } from './schema.ts'
import { DEFAULTS, toolsByName } from './tools.ts'

/**
 * Adds the built-in tools the organization lacks, in one statement, whoever else does so at the same moment; where none
 * is lacking, it costs one select. A tool that already goes by the name of one stays as it is.
 */
export async function addBuiltinTools(scope: Scope): Promise<void> {
  const there = await toolsByName(
    scope,
    BUILTIN_TOOLS.map(({ name }) => name),
  )
  const lacking = BUILTIN_TOOLS.filter(({ name }) => !there.has(name))
  await scope.insertOnConflictDoNothing(
    tools,
    lacking.map(({ name, tool_type, description, properties, required, parallel }) => ({
      ...DEFAULTS,
      name,
      tool_type,
      description,
      json_schema: { name, description, parameters: { type: 'object', properties, required } },
      tags: [tool_type],
      enable_parallel_execution: parallel ?? false,
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
