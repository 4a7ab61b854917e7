import { type RawBuilder, sql } from 'kysely'
import type { Scope } from '../../db/scope.ts'
import { conflict, notFound } from '../../lib/errors.ts'
import { BUILTIN_TYPES } from './schema.ts'
import type { ToolRow } from './table.ts'

/** A tool that the transaction has locked. */
export type LockedTool = Pick<
  ToolRow,
  'name' | 'tool_type' | 'description' | 'json_schema' | 'schema_derived' | 'args_json_schema'
> & { id: string; source_code: string; source_type: string }

/**
 * Locks the tool that fits a condition until the transaction ends. Lock a tool before its agents. Other transactions,
 * which lock an agent first, can still attach the tool.
 */
export async function lockTool(tx: Scope, which: RawBuilder<boolean>): Promise<LockedTool | undefined> {
  const [tool] = await tx.query<LockedTool>(sql`
    select id, name, tool_type, description, json_schema, schema_derived, args_json_schema, source_code, source_type
    from tools where organization_id = ${tx.organizationId} and ${which} for no key update`)
  return tool
}

/** Locks a tool. 404. */
export async function lockToolById(tx: Scope, id: string): Promise<LockedTool> {
  const tool = await lockTool(tx, sql`id = ${id}`)
  if (!tool) throw notFound('tool', id)
  return tool
}

/** 409 for a built-in tool. */
export function refuseBuiltin({ name, tool_type }: LockedTool, participle: string): void {
  if (BUILTIN_TYPES.some((type) => type === tool_type)) {
    throw conflict(`${name} is a built-in tool: it cannot be ${participle}.`)
  }
}
