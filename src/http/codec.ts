import { FIELDS, NEUTRAL_FIELDS, NEUTRAL_VALUES, VALUES } from '../lib/vendor-names.ts'

/**
 * Translates values between the neutral names and the vendor's, along a schema: only where the schema knows a field or
 * an enumeration, so that nothing of a caller's own (text, metadata, a tool's source) is ever touched.
 */

export interface Schema {
  $ref?: string
  type?: string | string[]
  enum?: readonly unknown[]
  const?: unknown
  properties?: Record<string, Schema>
  additionalProperties?: boolean | Schema
  items?: Schema
  pattern?: string
  format?: string
  anyOf?: Schema[]
}

/** Finds the named shape a schema refers to. */
export type Resolve = (ref: string) => Schema

interface Direction {
  values: Readonly<Record<string, string>>
  fields: Readonly<Record<string, string>>
  /** Whether it comes from a client: fields the schema doesn't know are left out, and instants get their zone. */
  strict: boolean
}

/** An instant as Python's `isoformat` writes it of a clock without a zone. */
const ZONELESS = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?$/

function translateText(meant: Schema, text: string, { values, strict }: Direction, name: string): string {
  if (meant.enum || name === 'agent_type') return values[text] ?? text
  return strict && meant.format === 'date-time' && ZONELESS.test(text) ? `${text}Z` : text
}

const IN: Direction = { values: NEUTRAL_VALUES, fields: NEUTRAL_FIELDS, strict: true }
const OUT: Direction = { values: VALUES, fields: FIELDS, strict: false }

const isObject = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === 'object' && !Array.isArray(value)

/** What an object must hold to be meant by a variant of a union. */
const constants = (variant: Schema) =>
  Object.entries(variant.properties ?? {}).flatMap(([name, { const: value }]) =>
    value === undefined ? [] : [[name, value] as const],
  )

/** The schema a value is meant by: references followed, the variant of a union chosen by what tells variants apart. */
function settle(schema: Schema, value: unknown, resolve: Resolve): Schema | undefined {
  if (schema.$ref) return settle(resolve(schema.$ref), value, resolve)
  if (!schema.anyOf) return schema
  const variants = schema.anyOf.map((variant) => settle(variant, value, resolve)).filter((one) => one !== undefined)
  if (Array.isArray(value)) return variants.find((variant) => variant.items)
  if (!isObject(value)) return variants.find((variant) => variant.enum)
  const objects = variants.filter((variant) => variant.properties)
  return (
    objects.find((variant) => {
      const told = constants(variant)
      return told.length > 0 && told.every(([name, constant]) => value[name] === constant)
    }) ?? (objects.length === 1 ? objects[0] : undefined)
  )
}

/** `name`: the field the value is of. Types of agents are plain text in an agent's memory. */
function translate(schema: Schema, value: unknown, resolve: Resolve, direction: Direction, name = ''): unknown {
  const meant = settle(schema, value, resolve)
  if (!meant) return value
  if (typeof value === 'string') return translateText(meant, value, direction, name)
  if (Array.isArray(value)) {
    const { items } = meant
    return items ? value.map((item) => translate(items, item, resolve, direction)) : value
  }
  const { properties } = meant
  if (!properties || !isObject(value)) return value
  const translated: [string, unknown][] = []
  for (const [name, inner] of Object.entries(value)) {
    const renamed = direction.fields[name] ?? name
    // Inward the schema knows the new name, outward the old one.
    const known = properties[direction.strict ? renamed : name]
    if (known) translated.push([renamed, translate(known, inner, resolve, direction, name)])
    else if (!direction.strict || meant.additionalProperties !== false) translated.push([name, inner])
  }
  return Object.fromEntries(translated)
}

/**
 * What a client of the vendor's API sent, in neutral names. What the schema doesn't know is left out, and an instant
 * without a zone is one of UTC.
 */
export const decode = (schema: Schema, value: unknown, resolve: Resolve) => translate(schema, value, resolve, IN)

/** An answer in the vendor's names. */
export const encode = (schema: Schema, value: unknown, resolve: Resolve) => translate(schema, value, resolve, OUT)
