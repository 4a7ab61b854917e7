import { isDeepStrictEqual } from 'node:util'
import type { Scope } from '../../db/scope.ts'
import { checkName, deriveFrom, descriptionIn, type FunctionJson, nameIn } from './function-schema.ts'
import { type LockedTool, lockToolById, refuseBuiltin } from './lock.ts'
import { columnsOf, sourceOf } from './row.ts'
import { type Tool, tools, type UpdateTool } from './schema.ts'
import type { ToolSource } from './source/derive.ts'
import type { SourceReader } from './source/reader.ts'
import type { ToolHolders } from './tools.ts'

/** The changed tool, or the source whose schema the change needs: no source is read inside a transaction. */
export type Attempt = { done: Tool } | { needs: ToolSource | undefined }

/** Repeats `attempt` until the schema that it gets was derived from the source that it finds. */
export async function withSchema(
  reader: SourceReader,
  first: ToolSource | undefined,
  attempt: (source: ToolSource | undefined, derived: FunctionJson | undefined) => Promise<Attempt>,
): Promise<Tool> {
  for (let source = first; ; ) {
    const outcome = await attempt(source, source && (await deriveFrom(reader, source)))
    if ('done' in outcome) return outcome.done
    source = outcome.needs
  }
}

/** The services that changes of tools need besides the database. */
export interface ToolDeps {
  reader: SourceReader
  holders: ToolHolders
}

/** Changes a locked tool; `derived` is the schema of its source, if the schema follows the source. */
export async function changeTool(
  tx: Scope,
  holders: ToolHolders,
  tool: LockedTool,
  body: UpdateTool,
  derived: FunctionJson | undefined,
): Promise<Tool> {
  const json_schema = body.json_schema ?? derived
  const name = json_schema && nameIn(json_schema)
  if (name !== undefined && name !== tool.name) await holders.renameTool(tx, tool.name, name)
  // A description that no request has set is the description of the schema, and follows it.
  const isOwn = tool.description !== (descriptionIn(tool.json_schema) ?? null)
  const description = json_schema && !isOwn ? (descriptionIn(json_schema) ?? null) : undefined
  return tx.update(tools, tool.id, {
    description,
    ...columnsOf(body),
    json_schema,
    schema_derived: json_schema && derived !== undefined,
    name,
  })
}

const SOURCE_FIELDS = ['source_code', 'source_type', 'args_json_schema'] as const

/** The source that the schema of a changed tool is derived from; undefined if the body has a schema, or the schema stays. */
function sourceAfter(tool: LockedTool, body: UpdateTool): ToolSource | undefined {
  const touched = SOURCE_FIELDS.some((field) => body[field] !== undefined)
  if (!touched || body.json_schema !== undefined || !tool.schema_derived) return undefined
  const { source_code, source_type, args_json_schema } = { ...tool, ...columnsOf(body) } as LockedTool
  return { source_code, source_type, args_json_schema }
}

/**
 * Changes the fields in the body. A derived schema is derived again when the source changes. A new name replaces the old
 * one in the rules of the agents. 404; 409 for a built-in tool, or a taken name; 422 for a schema that names no function of
 * the source.
 */
export async function updateTool(
  scope: Scope,
  { reader, holders }: ToolDeps,
  id: string,
  body: UpdateTool,
): Promise<Tool> {
  const { json_schema, source_code } = body
  if (json_schema && source_code) await checkName(reader, sourceOf({ ...body, source_code }), json_schema)
  return withSchema(reader, undefined, (source, derived) =>
    scope.transaction(async (tx) => {
      const tool = await lockToolById(tx, id)
      refuseBuiltin(tool, 'modified')
      const needs = sourceAfter(tool, body)
      if (!isDeepStrictEqual(needs, source)) return { needs }
      return { done: await changeTool(tx, holders, tool, body, derived) }
    }),
  )
}

/** Deletes a tool, and detaches it from its agents first. 404; 409 for a built-in tool. */
export async function deleteTool(scope: Scope, { detachTool }: ToolHolders, id: string): Promise<void> {
  await scope.transaction(async (tx) => {
    refuseBuiltin(await lockToolById(tx, id), 'deleted')
    await detachTool(tx, id)
    await tx.remove(tools, id)
  })
}
