import { isDeepStrictEqual } from 'node:util'
import { storageIssue } from '../lib/json.ts'

/** A JSON schema, as far as it is read here. */
interface Schema {
  type?: unknown
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: unknown
  items?: unknown
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  $ref?: string
  [keyword: string]: unknown
}

/** How well models can be held to a schema, with the reasons against it. */
export interface SchemaHealth {
  status: 'STRICT_COMPLIANT' | 'NON_STRICT_ONLY' | 'INVALID'
  reasons: string[]
}

/** How deep references are followed: one that refers to itself would go on for ever. */
const MAX_REFERENCES = 10

/** The schemas inside of one, with its references replaced: references to references multiply them. */
const MAX_SCHEMAS = 5_000

const UNIONS = ['anyOf', 'oneOf', 'allOf'] as const

const TYPES = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']

const isObject = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The part of a schema that a reference such as `#/$defs/Address` names. */
function target(root: Schema, reference: string): Schema {
  if (!reference.startsWith('#')) return {}
  const steps = reference.slice(1).split('/').filter(Boolean)
  const unescaped = steps.map((step) => decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~'))
  const found = unescaped.reduce<unknown>((at, step) => (isObject(at) && Object.hasOwn(at, step) ? at[step] : {}), root)
  return isObject(found) ? found : {}
}

const withoutRepeats = (schemas: readonly Schema[]) =>
  schemas.filter((one, n) => !schemas.slice(0, n).some((other) => isDeepStrictEqual(one, other)))

/** The schema that references point into, and the number of schemas that may still be copied. */
interface Copying {
  root: Schema
  left: number
}

class TooLargeError extends Error {}

function inlined(schema: unknown, copying: Copying, references: number): unknown {
  if (!isObject(schema)) return schema
  if (--copying.left < 0) throw new TooLargeError()
  if (typeof schema.$ref === 'string') {
    const { $ref, ...own } = schema
    return references < MAX_REFERENCES
      ? inlined({ ...target(copying.root, $ref), ...own }, copying, references + 1)
      : own
  }
  const { $defs: _, definitions: __, ...copy } = schema
  const inner = (value: unknown) => inlined(value, copying, references)
  if (isObject(copy.properties)) {
    copy.properties = Object.fromEntries(
      Object.entries(copy.properties).map(([name, value]) => [name, inner(value) as Schema]),
    )
    // An object without known properties takes any: closed, it would take none.
    copy.additionalProperties ??= false
  }
  if (copy.items !== undefined) copy.items = Array.isArray(copy.items) ? copy.items.map(inner) : inner(copy.items)
  if (isObject(copy.additionalProperties)) copy.additionalProperties = inner(copy.additionalProperties)
  for (const union of UNIONS) {
    if (Array.isArray(copy[union])) copy[union] = withoutRepeats(copy[union].map(inner) as Schema[])
  }
  return copy
}

function normalized(schema: unknown): Schema {
  const root: Schema = isObject(schema) ? schema : {}
  const whole = { type: 'object', properties: {}, required: [], ...root }
  return inlined(whole, { root, left: MAX_SCHEMAS }, 0) as Schema
}

/** The problems of a schema: `invalid` ones, and those that keep providers from enforcing it. */
interface Problems {
  invalid: string[]
  loose: string[]
}

function checkObject({ properties, required = [], additionalProperties }: Schema, at: string, found: Problems): void {
  if (properties !== undefined && !isObject(properties)) found.invalid.push(`${at}: properties is no object`)
  else for (const [name, inner] of Object.entries(properties ?? {})) check(inner, `${at}.${name}`, found)
  for (const name of required) {
    if (!isObject(properties) || !Object.hasOwn(properties, name))
      found.invalid.push(`${at}: the required ${name} has no schema`)
  }
  if (additionalProperties !== false) found.loose.push(`${at}: additionalProperties is not false`)
}

function check(schema: unknown, at: string, found: Problems): void {
  if (!isObject(schema)) return
  const types = [schema.type ?? []].flat()
  const unknown = types.filter((type) => !TYPES.includes(type as string))
  if (unknown.length > 0) found.invalid.push(`${at}: there is no type ${JSON.stringify(unknown[0])}`)
  if (types.includes('object')) checkObject(schema, at, found)
  if (types.includes('array')) {
    if (schema.items === undefined) found.invalid.push(`${at}: an array needs items`)
    else check(schema.items, `${at}[]`, found)
  }
  for (const union of UNIONS) for (const variant of schema[union] ?? []) check(variant, at, found)
}

function healthOf(schema: Schema): SchemaHealth {
  const found: Problems = { invalid: [], loose: [] }
  if (schema.type !== 'object') found.invalid.push('parameters: the type must be object')
  else check(schema, 'parameters', found)
  if (found.invalid.length > 0) return { status: 'INVALID', reasons: found.invalid }
  return { status: found.loose.length > 0 ? 'NON_STRICT_ONLY' : 'STRICT_COMPLIANT', reasons: found.loose }
}

/**
 * The parameters of a tool as providers of models take them: an object with `properties` and `required`, closed where it has
 * properties, with references replaced by their targets; and whether models can be offered them and held to them.
 */
export function readParameters(schema: unknown): { parameters: object; health: SchemaHealth } {
  const issue = storageIssue(schema)
  if (issue) return { parameters: {}, health: { status: 'INVALID', reasons: [`${issue.path}: ${issue.message}`] } }
  try {
    const parameters = normalized(schema)
    return { parameters, health: healthOf(parameters) }
  } catch (error) {
    if (!(error instanceof TooLargeError)) throw error
    const reasons = [`It has more than ${MAX_SCHEMAS} schemas inside.`]
    return { parameters: {}, health: { status: 'INVALID', reasons } }
  }
}
