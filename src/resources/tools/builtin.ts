import type { Scope } from '../../db/scope.ts'
import { BUILTIN_TOOLS } from './builtin/all.ts'
import { tools } from './schema.ts'
import { DEFAULTS, toolsByName } from './tools.ts'

/**
 * Adds the built-in tools the organization lacks, in one statement; where none is lacking, it costs one select. A tool
 * that already goes by the name of one stays as it is. Call it inside a transaction that keeps other callers out.
 */
export async function addBuiltinTools(scope: Scope): Promise<void> {
  const there = await toolsByName(
    scope,
    BUILTIN_TOOLS.map(({ name }) => name),
  )
  const lacking = BUILTIN_TOOLS.filter(({ name }) => !there.has(name))
  await scope.insertAll(
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
