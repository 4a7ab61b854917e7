import { NEUTRAL_FIELDS, NEUTRAL_VALUES } from '../../lib/vendor-names.ts'

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

/** The named shapes that schemas refer to, by their references. */
export type Shapes = ReadonlyMap<string, Schema>

/** The shapes by their references: what `{ $ref: 'Block#' }` stands for. */
export const byReference = (shapes: readonly object[]): Shapes =>
  new Map((shapes as readonly Schema[]).map((shape) => [`${shape.$id}#`, shape]))

/** The findings of a fitting. Places are relative to the fitted value. */
export interface Fitting {
  /** The shapes that the schema refers to. */
  shapes: Shapes
  /** The keys the schema has no name for, with a value that says something. */
  unknown: string[]
  /** Where the value has another name for a key than the schema: the schema's place, and the value's. */
  renamed: Map<string, string>
}

/** Names of kinds of tool rules in files of 2024, and of the endpoint type of the built-in embedding model in early files. */
const OLDER: Readonly<Record<string, string>> = {
  InitToolRule: 'run_first',
  TerminalToolRule: 'exit_loop',
  native: 'hugging-face',
}

/** Keys of the origin of a part, which an import sets anew. */
const ORIGIN = new Set(['created_at', 'created_by_id', 'last_updated_by_id', 'organization_id', 'type', 'updated_at'])

const translate = (value: unknown) =>
  typeof value === 'string' ? (NEUTRAL_VALUES[value] ?? OLDER[value] ?? value) : value

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const saysNothing = (value: unknown) =>
  value === null || value === false || value === '' || (typeof value === 'object' && Object.keys(value).length === 0)

export const joinPlaces = (place: string, key: string) =>
  place && key && !key.startsWith('[') ? `${place}.${key}` : place + key

const named = (shapes: Shapes, schema: Schema): Schema => (schema.$ref ? shapes.get(schema.$ref)! : schema)

const typeOf = (value: unknown) => (Array.isArray(value) ? 'array' : isObject(value) ? 'object' : typeof value)

/** The variant of a union a value is meant as: of its type, with its tag, and of those the one that knows most keys. */
function variantOf(shapes: Shapes, variants: readonly Schema[], value: unknown): Schema | undefined {
  const resolve = (schema: Schema) => named(shapes, schema)
  const candidates = variants
    .map(resolve)
    .flatMap((variant) => (variant.anyOf ? variant.anyOf.map(resolve) : [variant]))
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
export function fit(requested: unknown, value: unknown, fitting: Fitting, place = ''): unknown {
  const schema = named(fitting.shapes, requested as Schema)
  if (schema.anyOf) {
    const variant = value === null ? undefined : variantOf(fitting.shapes, schema.anyOf, value)
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
