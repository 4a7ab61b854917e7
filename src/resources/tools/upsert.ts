import { isDeepStrictEqual } from 'node:util'
import { sql } from 'kysely'
import type { Scope } from '../../db/scope.ts'
import { omitNullFields } from '../../lib/json.ts'
import type { KeyedMutex } from '../../lib/keyed-mutex.ts'
import { checkName, deriveFrom } from './function-schema.ts'
import { lockTool, refuseBuiltin } from './lock.ts'
import { type Attempt, changeTool, type ToolDeps, withSchema } from './modify.ts'
import { rowOf, sourceOf } from './row.ts'
import { type CreateTool, type Tool, tools, type UpdateTool } from './schema.ts'
import type { ToolSource } from './source/derive.ts'
import type { SourceReader } from './source/reader.ts'

/**
 * Makes a tool; a schema that the body lacks is derived from the source. 409 for the name of another tool, 422 for a schema that
 * names no function of the source.
 */
export async function createTool(scope: Scope, reader: SourceReader, body: CreateTool, project?: string | undefined) {
  const source = sourceOf(body)
  const { json_schema } = body
  if (json_schema) await checkName(reader, source, json_schema)
  return scope.insert(tools, rowOf(body, json_schema ?? (await deriveFrom(reader, source)), project))
}

/**
 * Makes the tool of this name, or sets the fields in the body on the existing one; concurrent calls make one tool.
 * Without a schema, name and schema are derived from the source. 409 for the name of a built-in tool.
 */
export async function upsertTool(
  scope: Scope,
  { reader, holders }: ToolDeps,
  mutex: KeyedMutex,
  body: CreateTool,
  project?: string | undefined,
): Promise<Tool> {
  const fields: UpdateTool = omitNullFields(body)
  const { json_schema } = body
  if (json_schema) await checkName(reader, sourceOf(body), json_schema)
  return withSchema(reader, json_schema ? undefined : sourceOf(body), (source, derived) => {
    const row = rowOf(body, json_schema ?? derived!, project)
    const attempt = async (tx: Scope): Promise<Attempt> => {
      for (;;) {
        const tool = await lockTool(tx, sql`name = ${row.name}`)
        const args_json_schema = body.args_json_schema ?? tool?.args_json_schema ?? null
        const needs = source && { ...source, args_json_schema }
        if (!isDeepStrictEqual(needs, source)) return { needs }
        if (tool) {
          refuseBuiltin(tool, 'replaced')
          return { done: await changeTool(tx, holders, tool, { ...fields, ...sourceTypeOf(source) }, derived) }
        }
        // Another transaction may have made a tool of this name since: then find that one.
        const [made] = await tx.insertOnConflictDoNothing(tools, [row])
        if (made) return { done: made }
      }
    }
    // In the database, callers of one name would wait for the same row, each with a connection that others could use.
    return mutex(`${scope.organizationId} ${row.name}`, () => scope.transaction(attempt))
  })
}

/** The language that a source was read as. */
const sourceTypeOf = (source: ToolSource | undefined) =>
  source && { source_type: source.source_type as NonNullable<UpdateTool['source_type']> }
