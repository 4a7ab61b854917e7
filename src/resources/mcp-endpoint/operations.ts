import { MCP_TOOLS, type McpTool } from './tools.ts'

type Json = Record<string, never>

/** The parts of an OpenAPI document that tools are made from. */
export interface OpenApiDocument {
  paths: Record<string, Record<string, OpenApiOperation>>
  components: { schemas: Record<string, Json> }
}

interface OpenApiOperation {
  operationId?: string
  parameters?: readonly { name: string; in: string; required?: boolean; description?: string; schema: Json }[]
  requestBody?: { content: Record<string, { schema: Json }> }
}

/** A tool with the request that a call of the tool becomes. */
export interface Operation extends McpTool {
  method: string
  path: string
  /** The place of each parameter. */
  places: ReadonlyMap<string, 'path' | 'query' | 'body'>
  inputSchema: { type: 'object'; properties: Record<string, Json>; required: string[]; additionalProperties: false }
}

/** A schema without references: a client of MCP gets no other schemas. A reference inside itself is any value. */
function inlined(schema: unknown, schemas: OpenApiDocument['components']['schemas'], open: readonly string[]): unknown {
  if (Array.isArray(schema)) return schema.map((item) => inlined(item, schemas, open))
  if (schema === null || typeof schema !== 'object') return schema
  const { $ref, ...rest } = schema as Json & { $ref?: string }
  if ($ref !== undefined) {
    const name = $ref.slice($ref.lastIndexOf('/') + 1)
    return open.includes(name) ? {} : inlined({ ...schemas[name], ...rest }, schemas, [...open, name])
  }
  return Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, inlined(value, schemas, open)]))
}

/** The fields of the body of an operation: those of all variants of a union. */
function bodyFields(document: OpenApiDocument, operation: OpenApiOperation): Record<string, Json> {
  const schema = operation.requestBody?.content['application/json']?.schema
  if (!schema) return {}
  const {
    properties,
    anyOf = [],
    oneOf = [],
  } = inlined(schema, document.components.schemas, []) as {
    properties?: Record<string, Json>
    anyOf?: { properties?: Record<string, Json> }[]
    oneOf?: { properties?: Record<string, Json> }[]
  }
  return Object.assign({}, ...[...anyOf, ...oneOf].map((variant) => variant.properties ?? {}), properties)
}

function toOperation(document: OpenApiDocument, tool: McpTool): Operation {
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      if (operation.operationId !== tool.operation) continue
      const fields = bodyFields(document, operation)
      const places = new Map<string, 'path' | 'query' | 'body'>()
      const properties: Record<string, Json> = {}
      for (const name of tool.parameters) {
        const parameter = operation.parameters?.find((one) => one.name === name && ['path', 'query'].includes(one.in))
        const schema = parameter ? { description: parameter.description, ...parameter.schema } : fields[name]
        if (!schema) throw new Error(`The operation ${tool.operation} has no parameter ${name}.`)
        places.set(name, (parameter?.in as 'path' | 'query' | undefined) ?? 'body')
        properties[name] = inlined(schema, document.components.schemas, []) as Json
      }
      const inPath = tool.parameters.filter((name) => places.get(name) === 'path')
      const required = [...inPath, ...(tool.required ?? [])]
      const inputSchema = { type: 'object', properties, required, additionalProperties: false } as const
      return { ...tool, method: method.toUpperCase(), path, places, inputSchema }
    }
  }
  throw new Error(`The API has no operation ${tool.operation}.`)
}

/** The tools of the MCP server with their requests, from the OpenAPI document of the server. Throws for an unknown operation. */
export const operationsOfTools = (document: OpenApiDocument): ReadonlyMap<string, Operation> =>
  new Map(MCP_TOOLS.map((tool) => [tool.operation, toOperation(document, tool)]))

/** The request that a call of a tool becomes. */
export function requestOf({ method, path, places }: Operation, args: Readonly<Record<string, unknown>>) {
  const query = new URLSearchParams()
  const body: Record<string, unknown> = {}
  let url = path
  for (const [name, value] of Object.entries(args)) {
    const place = places.get(name)
    if (value === undefined || value === null || place === undefined) continue
    if (place === 'path') url = url.replace(`{${name}}`, encodeURIComponent(String(value)))
    else if (place === 'query') for (const item of [value].flat()) query.append(name, String(item))
    else body[name] = value
  }
  const hasBody = [...places.values()].includes('body')
  return { method, url: query.size > 0 ? `${url}?${query}` : url, ...(hasBody && { body }) }
}
