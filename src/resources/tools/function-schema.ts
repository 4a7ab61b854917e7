import { inBody, invalid, invalidOr400 } from '../../lib/errors.ts'
import { MAX_TOOL_NAME } from '../../lib/tool-name.ts'
import type { GenerateSchema } from './schema.ts'
import type { DerivedSchema, ToolSource } from './source/derive.ts'
import type { SourceReader } from './source/reader.ts'
import { DEFAULTS } from './tools.ts'

const NAME = /^[A-Za-z_][A-Za-z0-9_-]*$/

/** The reason why a model could not call a tool by this name, or undefined. */
function nameFault(name: string): string | undefined {
  if (name.length > MAX_TOOL_NAME) return `must have at most ${MAX_TOOL_NAME} characters`
  return NAME.test(name) ? undefined : 'must be a function name: a letter or _, then letters, digits, _ and -'
}

/** A function as a model reads it: name, description and parameters. */
export type FunctionJson = Record<string, unknown>

/** The name in a schema. 422 for a schema without a name that a model can call. */
export function nameIn({ name }: FunctionJson): string {
  const fault = typeof name === 'string' ? nameFault(name) : 'is required, as a string'
  if (fault) throw invalid(inBody('json_schema.name', fault))
  return name as string
}

/** 422 (400 for Letta clients) for a schema whose name no function of the source has, if the source can be read. */
export async function checkName(reader: SourceReader, source: ToolSource, schema: FunctionJson): Promise<void> {
  const name = nameIn(schema)
  const names = await reader.names(source)
  if (names.length === 0 || names.includes(name)) return
  throw invalidOr400(
    inBody('json_schema.name', `is ${name}, but the source defines ${names.join(', ')}: name one function`),
  )
}

/** The description in a schema, or undefined. */
export const descriptionIn = (schema: FunctionJson | null) =>
  typeof schema?.description === 'string' ? schema.description : undefined

/** Derives the schema of a source. 422 for an unreadable source, and for a function whose name no model can call. */
export async function deriveFrom(
  reader: SourceReader,
  source: ToolSource,
  field = 'source_code',
): Promise<FunctionJson & DerivedSchema> {
  const schema = await reader.read(source, field)
  const fault = nameFault(schema.name)
  if (fault) throw invalid(inBody(field, `the name of the function, ${schema.name}, ${fault}`))
  return { ...schema }
}

/** Derives a schema without storing a tool. 422 with every problem of the source and its position. */
export async function generateSchema(reader: SourceReader, { code, source_type }: GenerateSchema) {
  const source = { source_code: code, source_type: source_type ?? DEFAULTS.source_type }
  const schema = await deriveFrom(reader, source, 'code')
  // A source without parameters of its own is refused if nothing describes it.
  return { ...schema, description: schema.description! }
}
