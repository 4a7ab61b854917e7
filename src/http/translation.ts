import { emptyValue } from '../lib/vendor-empty-values.ts'
import { FIELDS, NEUTRAL_FIELDS, NEUTRAL_VALUES, VALUES } from '../lib/vendor-names.ts'

/** A schema, as far as translation reads it. */
export interface Schema {
  $id?: string
  $ref?: string
  type?: string | string[]
  enum?: readonly unknown[]
  const?: unknown
  properties?: Record<string, Schema>
  additionalProperties?: boolean | Schema
  items?: Schema
  pattern?: string
  maximum?: number
  format?: string
  anyOf?: Schema[]
}

/** Finds the named shape of a `$ref`. */
export type Resolve = (ref: string) => Schema

interface Direction {
  values: Readonly<Record<string, string>>
  fields: Readonly<Record<string, string>>
  /**
   * Whether the value comes from a client: unknown fields are dropped, and instants without a zone get UTC. A value for a
   * client has all fields of its schema.
   */
  inward: boolean
}

/** An instant without a zone, as Python's `isoformat` writes it. */
const ZONELESS = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?$/

function translateText(schema: Schema, text: string, { values, inward }: Direction, name: string): string {
  if (schema.enum || name === 'agent_type') return values[text] ?? text
  return inward && schema.format === 'date-time' && ZONELESS.test(text) ? `${text}Z` : text
}

const IN: Direction = { values: NEUTRAL_VALUES, fields: NEUTRAL_FIELDS, inward: true }
const OUT: Direction = { values: VALUES, fields: FIELDS, inward: false }

const isObject = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === 'object' && !Array.isArray(value)

/** The constants that an object of a variant of a union holds, such as its `type`. */
const constants = (variant: Schema) =>
  Object.entries(variant.properties ?? {}).flatMap(([name, { const: value }]) =>
    value === undefined ? [] : [[name, value] as const],
  )

/** The schema without references and unions: of a union, the variant that fits the value; undefined where none does. */
function variantFor(schema: Schema, value: unknown, resolve: Resolve): Schema | undefined {
  if (schema.$ref) return variantFor(resolve(schema.$ref), value, resolve)
  if (!schema.anyOf) return schema
  const variants = schema.anyOf.map((variant) => variantFor(variant, value, resolve)).filter((one) => one !== undefined)
  if (Array.isArray(value)) return variants.find((variant) => variant.items)
  if (!isObject(value)) return variants.find((variant) => variant.enum || variant.maximum !== undefined)
  const objects = variants.filter((variant) => variant.properties)
  return (
    objects.find((variant) => {
      const tags = constants(variant)
      return tags.length > 0 && tags.every(([name, constant]) => value[name] === constant)
    }) ?? (objects.length === 1 ? objects[0] : undefined)
  )
}

/** The fields that a value of a shape lacks and the Letta API sends. */
const absentFields = (shape: string | undefined, { properties = {} }: Schema, value: Record<string, unknown>) =>
  Object.entries(properties).flatMap(([name, { const: constant }]): [string, unknown][] => {
    const empty = emptyValue(shape, name)
    return value[name] === undefined && empty !== undefined ? [[FIELDS[name] ?? name, constant ?? empty]] : []
  })

/**
 * `outerShape`: the named shape that the value belongs to. `name`: the field of the value, since types of agents are plain text in
 * an agent's memory.
 */
function translate(
  schema: Schema,
  value: unknown,
  resolve: Resolve,
  direction: Direction,
  outerShape?: string,
  name = '',
): unknown {
  const variant = variantFor(schema, value, resolve)
  if (!variant) return value
  if (typeof value === 'string') return translateText(variant, value, direction, name)
  if (typeof value === 'number') {
    return direction.inward && name === 'limit' ? Math.min(value, variant.maximum ?? value) : value
  }
  const { items, properties, $id: shape = outerShape } = variant
  if (Array.isArray(value))
    return items ? value.map((item) => translate(items, item, resolve, direction, shape)) : value
  if (!properties || !isObject(value)) return value
  const translated = direction.inward ? [] : absentFields(shape, variant, value)
  for (const [name, inner] of Object.entries(value)) {
    if (inner === undefined) continue
    const renamed = direction.fields[name] ?? name
    // The schema has the neutral name: inward that is the new one, outward the old one.
    const known = properties[direction.inward ? renamed : name]
    if (known) translated.push([renamed, translate(known, inner, resolve, direction, shape, name)])
    else if (!direction.inward || variant.additionalProperties !== false) translated.push([name, inner])
  }
  return Object.fromEntries(translated)
}

/**
 * A client's value in neutral names. Only fields and enumerations of the schema are renamed, so that the caller's own
 * data (text, metadata, a tool's source) stays as it is. Unknown fields are dropped; an instant without a zone is UTC; a
 * `limit` is at most the maximum.
 */
export const toNeutralNames = (schema: Schema, value: unknown, resolve: Resolve) =>
  translate(schema, value, resolve, IN)

/**
 * A response's value in the vendor's names: the inverse of `toNeutralNames`. Fields of the schema that have no value are
 * there, null or empty. `shape`: the shape that the value belongs to, if the value is part of one.
 */
export const toVendorNames = (schema: Schema, value: unknown, resolve: Resolve, shape?: string) =>
  translate(schema, value, resolve, OUT, shape)
