import type { LanguageModelV4FunctionTool, LanguageModelV4ProviderTool } from '@ai-sdk/provider'

type Schema = Record<string, unknown>

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Keywords whose schemas a model can't be held to. */
const UNSERVED = ['oneOf', 'allOf', 'not', 'if', 'patternProperties', 'dependentSchemas', 'prefixItems', '$ref']

const closedAll = (schemas: readonly unknown[]): Schema[] | undefined => {
  const all = schemas.map((schema) => (isSchema(schema) ? closed(schema) : undefined))
  return all.every((schema) => schema !== undefined) ? all : undefined
}

/** The schema of an object with all its properties, and no others. */
function closedObject({ properties, required = [], ...schema }: Schema): Schema | undefined {
  if (!isSchema(properties)) return undefined
  const names = Object.keys(properties)
  const inner = closedAll(Object.values(properties))
  if (!inner || !names.every((name) => (required as string[]).includes(name))) return undefined
  const entries = inner.map((one, n) => [names[n]!, one] as const)
  return { ...schema, properties: Object.fromEntries(entries), required: names, additionalProperties: false }
}

/** The schema with no further properties allowed; undefined for one with optional properties, or with keywords beyond. */
function closed(schema: Schema): Schema | undefined {
  if (UNSERVED.some((keyword) => keyword in schema) || schema.additionalProperties) return undefined
  const base = schema.type === 'object' || schema.properties ? closedObject(schema) : schema
  const items = schema.items === undefined ? [] : closedAll([schema.items])
  const anyOf = closedAll((schema.anyOf ?? []) as unknown[])
  if (!base || !items || !anyOf) return undefined
  return { ...base, ...(items.length > 0 && { items: items[0] }), ...(anyOf.length > 0 && { anyOf }) }
}

/**
 * The tool to whose parameters the provider holds the model, where their schema allows it: every property is required. Any
 * other tool is returned as it is.
 */
export function strictTool<T extends LanguageModelV4FunctionTool | LanguageModelV4ProviderTool>(tool: T): T {
  const inputSchema = tool.type === 'function' ? closed(tool.inputSchema as Schema) : undefined
  return inputSchema ? { ...tool, inputSchema, strict: true } : tool
}
