import type { Prefix } from '../src/lib/ids.ts'
import { addressOf, bodyOf, type Document, idPlaces, type Operation, prefixOf, takesForm } from './operations.ts'
import type { Populated } from './populate.ts'
import { RESOURCE_SAMPLES } from './resource-samples.ts'
import { SAMPLES } from './samples.ts'
import type { Client } from './server.ts'

/** A request as a tree, in which every id has its place. */
export interface Request {
  operation: Operation
  path: Record<string, string>
  query: Record<string, string | string[]>
  body?: unknown
}

/** The place of a reference in a request: its path, and the prefix of the id, or the parameter that holds a name. */
export interface Place {
  keys: readonly (string | number)[]
  prefix?: Prefix
  parameter?: string
}

/** Values of the path parameters that hold no id. */
const NAMES: Record<string, (held: Populated) => string> = {
  name: ({ names }) => names.folder,
  label: ({ names }) => names.label,
  tool_name: ({ names }) => names.tool,
  mcp_server_name: ({ names }) => names.tool,
  mcp_tool_name: ({ names }) => names.tool,
  template_name: ({ names }) => names.template,
  template_version: ({ names }) => names.template,
  token: ({ one }) => one.access_token,
  job_id: () => '00000000-0000-4000-8000-000000000000',
}

/** Query parameters that hold an id, though their schema allows any text. */
const LOOSE: Record<string, Prefix> = { created_by_id: 'user' }

const CURSORS = ['after', 'before', 'cursor']
const ID = /^([a-z][a-z_-]*)-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** The organization's own value for a place: an id or a name. */
export function valueFor(held: Populated, { prefix, parameter }: Pick<Place, 'prefix' | 'parameter'>): string {
  const value = prefix ? held.one[prefix as keyof Populated['one']] : NAMES[parameter!]?.(held)
  if (value !== undefined) return value
  throw new Error(
    prefix
      ? `populate() in test/populate.ts makes no "${prefix}": add one, and its id to \`one\`.`
      : `NAMES in test/places.ts has no value for the path parameter "${parameter}": add one.`,
  )
}

/** Requests of an operation that name an organization's own resources, at least one for each id it can take. */
export function requestsOf(document: Document, operation: Operation, held: Populated): Request[] {
  const parameters = operation.parameters ?? []
  const path: Record<string, string> = {}
  for (const { name, schema } of parameters.filter((parameter) => parameter.in === 'path')) {
    path[name] = valueFor(held, { ...withPrefix(prefixOf(schema)), parameter: name })
  }
  const asked = parameters.flatMap(({ in: where, name, schema, required }) => {
    const prefix = prefixOf(schema) ?? (schema.items && prefixOf(schema.items)) ?? LOOSE[name]
    if (where !== 'query' || !prefix || CURSORS.includes(name)) return []
    return [{ name, value: valueFor(held, { prefix }), required }]
  })
  const must = asked.filter(({ required }) => required)
  const query = Object.fromEntries(must.map(({ name, value }) => [name, value]))

  const declared = RESOURCE_SAMPLES.map(({ operations }) => operations[operation.operationId])
  const samples = [SAMPLES[operation.operationId], ...declared].find((sample) => sample)?.(held)
  if (bodyOf(operation) && !samples) {
    throw new Error(`There is no sample for ${operation.operationId}: add one to samples.ts of its resource.`)
  }
  const requests = (samples ?? [{}]).map((sample) => ({
    operation,
    path: { ...path, ...sample.path },
    query: { ...query, ...sample.query },
    body: sample.body,
  }))
  for (const { name, value } of asked.filter(({ required }) => !required)) {
    requests.push({ ...requests[0]!, query: { ...query, [name]: value } })
  }

  const covered = new Set(requests.flatMap(({ body }) => placesIn(body).map(({ keys }) => nameOf(keys))))
  const left = idPlaces(document, bodyOf(operation) ?? {}).filter((place) => !covered.has(place))
  if (left.length > 0) {
    throw new Error(`The samples of ${operation.operationId} hold no id at ${left.join(', ')}: add one with it.`)
  }
  return requests
}

const withPrefix = (prefix: Prefix | undefined) => (prefix ? { prefix } : {})

/** `['block_ids', 0]` → `block_ids[]` */
const nameOf = (keys: readonly (string | number)[]) =>
  keys.reduce<string>((path, key) => (typeof key === 'number' ? `${path}[]` : path ? `${path}.${key}` : key), '')

/** The paths of ids in a value. */
function placesIn(value: unknown, keys: readonly (string | number)[] = []): Place[] {
  if (typeof value === 'string') {
    const prefix = ID.exec(value)?.[1]
    return prefix ? [{ keys, prefix }] : []
  }
  if (Array.isArray(value)) return value.flatMap((inner, index) => placesIn(inner, [...keys, index]))
  if (value === null || typeof value !== 'object') return []
  return Object.entries(value).flatMap(([key, inner]) => placesIn(inner, [...keys, key]))
}

/** The places of all references in a request. */
export function placesOf({ path, query, body }: Request): Place[] {
  const names = Object.keys(path).filter((name) => !ID.test(path[name]!))
  return [...placesIn({ path, query, body }), ...names.map((parameter) => ({ keys: ['path', parameter], parameter }))]
}

/** Replaces the values at these places of a request. */
export function withValues(request: Request, values: readonly { place: Place; value: string }[]): Request {
  const { operation, ...tree } = request
  const copy = structuredClone(tree) as Record<string | number, unknown>
  for (const { place, value } of values) {
    let at = copy
    for (const key of place.keys.slice(0, -1)) at = at[key] as Record<string | number, unknown>
    at[place.keys.at(-1)!] = value
  }
  return { operation, ...copy } as unknown as Request
}

/** The fields of a body as a form. */
function formOf(operation: Operation, body: unknown): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(body ?? {})) {
    const isFile = bodyOf(operation)?.properties?.[name]?.format === 'binary'
    if (isFile) form.append(name, new Blob([String(value)]), 'notes.txt')
    else form.append(name, String(value))
  }
  return form
}

/** Sends a request. */
export function send(client: Client, { operation, path, query, body }: Request) {
  const url = addressOf(operation, path)
  const values = Object.entries(query).flatMap(([name, value]) => [value].flat().map((one) => [name, one]))
  const search = new URLSearchParams(values as [string, string][]).toString()
  return client.call(
    operation.method,
    search ? `${url}?${search}` : url,
    takesForm(operation) ? formOf(operation, body) : body,
  )
}

const PART =
  /^\/v1\/((agents|archives|folders|sources)\/\{\w+\}\/.|budgets\/|conversations\/|sandbox-config\/environment-variable)/

/** Operations in an order in which each finds the resources it needs: deletes come last. */
export function inWorkingOrder(operations: readonly Operation[]): Operation[] {
  const rank = ({ method, operationId, path }: Operation) => {
    if (operationId === 'delete_organization') return 4
    // A contained resource is deleted before its container.
    if (method === 'DELETE') return PART.test(path) ? 1 : 3
    return operationId.startsWith('detach') ? 2 : 0
  }
  return [...operations].sort((a, b) => rank(a) - rank(b))
}
