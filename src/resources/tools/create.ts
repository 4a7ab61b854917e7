import type { Scope } from '../../db/scope.ts'
import { deriveFrom } from './function-schema.ts'
import { rowOf, sourceOf } from './row.ts'
import { type CreateTool, tools } from './schema.ts'
import type { SourceReader } from './source/reader.ts'

/** Makes a tool; a schema that the body lacks is derived from the source. 409 for the name of another tool. */
export async function createTool(scope: Scope, reader: SourceReader, body: CreateTool, project?: string | undefined) {
  const source = sourceOf(body)
  return scope.insert(tools, rowOf(body, source ? await deriveFrom(reader, source) : body.json_schema!, project))
}
