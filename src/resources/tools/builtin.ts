import { sql } from 'kysely'
import type { Scope } from '../../db/scope.ts'
import { CORE_TOOLS } from './builtin/core.ts'
import { FILE_TOOLS } from './builtin/files.ts'
import { MEMORY_TOOLS, SLEEPTIME_TOOLS } from './builtin/memory.ts'
import { MULTI_AGENT_TOOLS } from './builtin/multi-agent.ts'
import { VOICE_TOOLS } from './builtin/voice.ts'
import { WEB_AND_CODE_TOOLS } from './builtin/web-and-code.ts'
import { BUILTIN_TYPES, type Tool, tools } from './schema.ts'
import { DEFAULTS, toolsByName, withTags } from './tools.ts'

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
  const all = await scope.select(tools, (query) =>
    query
      .where(sql<boolean>`tools.tool_type = any(${BUILTIN_TYPES}::text[])`)
      .orderBy('tools.created_at')
      .orderBy('tools.id'),
  )
  return all.map((tool) => withTags(scope, tool))
}
