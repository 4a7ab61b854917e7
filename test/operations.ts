import type { App } from '../src/http/server.ts'

/** Operations that take a body and change nothing: they need the scope `read`, and a repeated one runs again. */
export const READING_POSTS = [
  'search_agents',
  'search_all_messages',
  'search_messages',
  'search_passages',
  'search_tools',
  'generate_json_schema',
  'retrieve_stream_for_run',
  'retrieve_conversation_stream',
  'preview_raw_payload',
  'preview_conversation_raw_payload',
]

/** A schema of the OpenAPI document, as far as the tests read it. */
export interface Schema {
  $ref?: string
  type?: string | string[]
  title?: string
  enum?: unknown[]
  const?: unknown
  format?: string
  pattern?: string
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  anyOf?: Schema[]
}

export interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  required?: boolean
  schema: Schema
}

export interface Operation {
  operationId: string
  method: string
  path: string
  summary?: string
  tags?: string[]
  parameters?: Parameter[]
  requestBody?: { content: Record<string, { schema: Schema }> }
  responses: Record<string, { description?: string; content?: Record<string, { schema: Schema }> }>
  security?: unknown[]
}

export interface Document {
  openapi: string
  paths: Record<string, Record<string, Omit<Operation, 'method' | 'path'>>>
  components: { schemas: Record<string, Schema> }
}

export const documentOf = (app: App) => app.swagger() as unknown as Document

/** Every operation of the OpenAPI document. */
export const operationsOf = (app: App): Operation[] =>
  Object.entries(documentOf(app).paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path })),
  )

/** Every operation that needs a key. */
export const keyedOperations = (app: App): Operation[] =>
  operationsOf(app).filter(({ security }) => security?.length !== 0)

/** The address of an operation with these values in its path. */
export const addressOf = ({ path }: Operation, values: Readonly<Record<string, string>>): string =>
  path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(values[name]!))

/** A schema, or the component it refers to. */
export function resolve(document: Document, schema: Schema): Schema {
  const name = schema.$ref?.split('/').at(-1)
  return name === undefined ? schema : document.components.schemas[name]!
}

/** Whether an operation takes a form rather than JSON. */
export const takesForm = ({ requestBody }: Operation) => requestBody?.content['multipart/form-data'] !== undefined

/** The schema of an operation's body, or undefined. */
export const bodyOf = ({ requestBody }: Operation) => Object.values(requestBody?.content ?? {})[0]?.schema

/** The prefix of an id, from its schema; undefined for a schema of anything else. */
export const prefixOf = (schema: Schema) => /^(\w[\w-]*)-<uuid>$/.exec(schema.title ?? '')?.[1]

/** The paths of ids in values of a schema, such as `block_ids[]` or `manager_config.manager_agent_id`. */
export function idPlaces(document: Document, schema: Schema, path = '', seen: readonly Schema[] = []): string[] {
  const at = resolve(document, schema)
  if (prefixOf(at)) return [path]
  if (seen.includes(at)) return []
  const deeper = (inner: Schema, place: string) => idPlaces(document, inner, place, [...seen, at])
  const places = [
    ...(at.anyOf ?? []).flatMap((variant) => deeper(variant, path)),
    ...(at.items ? deeper(at.items, `${path}[]`) : []),
    ...Object.entries(at.properties ?? {}).flatMap(([name, inner]) => deeper(inner, path ? `${path}.${name}` : name)),
  ]
  return [...new Set(places)]
}
