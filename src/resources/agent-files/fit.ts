import { NEUTRAL_FIELDS, NEUTRAL_VALUES } from '../../lib/vendor-names.ts'
import { shapes } from '../shapes.ts'

/** A schema, as far as values are fitted to it. */
interface Schema {
  $id?: string
  $ref?: string
  anyOf?: Schema[]
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  properties?: Record<string, Schema>
  additionalProperties?: boolean | object
  items?: Schema
}

/** What was noticed on the way. Places are relative to the value that was fitted. */
export interface Fitting {
  /** The keys the schema has no name for, with a value that says something. */
  unknown: string[]
  /** Where the value has another name for a key than the schema: the schema's place, and the value's. */
  renamed: Map<string, string>
}

/** Names of kinds of tool rules in files of 2024. */
const OLDER: Readonly<Record<string, string>> = { InitToolRule: 'run_first', TerminalToolRule: 'exit_loop' }

/** Keys that say where a thing comes from and when, which are told anew where it goes. */
const ORIGIN = new Set(['created_at', 'created_by_id', 'last_updated_by_id', 'organization_id', 'type', 'updated_at'])

const translate = (value: unknown) =>
  typeof value === 'string' ? (NEUTRAL_VALUES[value] ?? OLDER[value] ?? value) : value

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const saysNothing = (value: unknown) =>
  value === null || value === false || value === '' || (typeof value === 'object' && Object.keys(value).length === 0)

export const joinPlaces = (place: string, key: string) =>
  place && key && !key.startsWith('[') ? `${place}.${key}` : place + key

const byReference: ReadonlyMap<string, Schema> = new Map(
  (shapes as readonly Schema[]).map((shape) => [`${shape.$id}#`, shape]),
)

const named = (schema: Schema): Schema => (schema.$ref ? byReference.get(schema.$ref)! : schema)

const typeOf = (value: unknown) => (Array.isArray(value) ? 'array' : isObject(value) ? 'object' : typeof value)

/** The variant of a union a value is meant as: of its type, with its tag, and of those the one that knows most keys. */
function variantOf(variants: readonly Schema[], value: unknown): Schema | undefined {
  const candidates = variants.map(named).flatMap((variant) => (variant.anyOf ? variant.anyOf.map(named) : [variant]))
  const fits = candidates.filter(({ type }) => [type].flat().includes(typeOf(value)))
  if (!isObject(value)) return fits[0]
  const tagged = fits.filter(({ properties = {} }) =>
    Object.entries(properties).every(
      ([key, { const: tag }]) => tag === undefined || value[key] == null || translate(value[key]) === tag,
    ),
  )
  const knows = ({ properties = {} }: Schema) => Object.keys(value).filter((key) => key in properties).length
  return tagged.sort((a, b) => knows(b) - knows(a))[0]
}

/**
 * A value as a schema would have it, though not yet valid: other names for fields and enumerated values (those of
 * `src/lib/vendor-names.ts`) become ours, and keys a closed object doesn't know are left out. Nothing else is touched,
 * and no text of the user's.
 */
export function fit(asked: unknown, value: unknown, fitting: Fitting, place = ''): unknown {
  const schema = named(asked as Schema)
  if (schema.anyOf) {
    const variant = value === null ? undefined : variantOf(schema.anyOf, value)
    return variant ? fit(variant, value, fitting, place) : value
  }
  if (schema.enum) return schema.enum.includes(value) ? value : translate(value)
  if (schema.const !== undefined) return translate(value)
  if (Array.isArray(value)) {
    return schema.items ? value.map((item, n) => fit(schema.items, item, fitting, `${place}[${n}]`)) : value
  }
  const { properties } = schema
  if (!isObject(value) || !properties) return value
  const closed = schema.additionalProperties === false
  const fitted: [string, unknown][] = []
  for (const [key, inner] of Object.entries(value)) {
    const ours = NEUTRAL_FIELDS[key]
    const name = !Object.hasOwn(properties, key) && ours && !Object.hasOwn(value, ours) ? ours : key
    const at = joinPlaces(place, key)
    if (!Object.hasOwn(properties, name)) {
      if (!closed) fitted.push([key, inner])
      else if (!saysNothing(inner) && !ORIGIN.has(key)) fitting.unknown.push(at)
      continue
    }
    if (name !== key) fitting.renamed.set(joinPlaces(place, name), at)
    fitted.push([name, fit(properties[name], inner, fitting, at)])
  }
  return Object.fromEntries(fitted)
}
