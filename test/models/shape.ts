// biome-ignore lint/suspicious/noExplicitAny: a request is any JSON until it is checked
export type Json = any

export type Path = readonly (string | number)[]

/** What a provider takes at one place of a request. */
export type Shape =
  | 'string'
  | 'integer'
  | 'number'
  | 'boolean'
  | 'object'
  | 'any'
  | readonly string[]
  | { list: Shape }
  | { either: readonly Shape[] }
  | { tag: string; of: Record<string, Shape>; fallback?: string }
  /** The names of required fields end in "!". Other fields may be null. */
  | { fields: Record<string, Shape> }

/** How a provider words its refusals: each function throws. */
export interface Dialect {
  unknown(path: Path, field: string): never
  missing(path: Path, field: string): never
  wrongKind(path: Path, kinds: readonly string[], value: unknown): never
  wrongValue(path: Path, allowed: readonly string[], value: unknown): never
  /** Whether the path of a variant's fields names the variant: `content.0.text.cache_control`. */
  namesVariants?: boolean
}

/** The kind of a JSON value. */
export function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return Number.isInteger(value) ? 'integer' : typeof value
}

function kindOfShape(shape: Shape): string {
  if (typeof shape === 'string') return shape
  if (Array.isArray(shape)) return 'string'
  return 'list' in shape ? 'array' : 'object'
}

const fits = (value: unknown, shape: Shape): boolean => {
  const [kind, wanted] = [kindOf(value), kindOfShape(shape)]
  return wanted === 'any' || kind === wanted || (kind === 'integer' && wanted === 'number')
}

function checkFields(value: Json, fields: Record<string, Shape>, dialect: Dialect, path: Path): void {
  const known = new Map(Object.entries(fields).map(([name, shape]) => [name.replace('!', ''), shape]))
  for (const name of Object.keys(value)) if (!known.has(name)) dialect.unknown(path, name)
  for (const name of Object.keys(fields)) {
    if (name.endsWith('!') && value[name.slice(0, -1)] === undefined) dialect.missing(path, name.slice(0, -1))
  }
  for (const [name, shape] of known) {
    const optional = !(`${name}!` in fields)
    if (value[name] === undefined || (optional && value[name] === null)) continue
    checkShape(value[name], shape, dialect, [...path, name])
  }
}

/** Throws the provider's refusal of the first value that has not the shape. */
export function checkShape(value: Json, shape: Shape, dialect: Dialect, path: Path = []): void {
  if (typeof shape === 'object' && 'either' in shape) {
    const fitting = shape.either.find((one) => fits(value, one))
    if (!fitting) dialect.wrongKind(path, shape.either.map(kindOfShape), value)
    checkShape(value, fitting, dialect, path)
    return
  }
  if (!fits(value, shape)) dialect.wrongKind(path, [kindOfShape(shape)], value)
  if (typeof shape === 'string') return
  if ('list' in shape) {
    for (const [at, item] of value.entries()) checkShape(item, shape.list, dialect, [...path, at])
  } else if ('fields' in shape) {
    checkFields(value, shape.fields, dialect, path)
  } else if ('tag' in shape) {
    const tag = value[shape.tag] ?? shape.fallback ?? dialect.missing(path, shape.tag)
    const variant = shape.of[tag] ?? dialect.wrongValue([...path, shape.tag], Object.keys(shape.of), tag)
    checkShape(value, variant, dialect, dialect.namesVariants ? [...path, tag] : path)
  } else if (!(shape as readonly string[]).includes(value)) {
    dialect.wrongValue(path, shape as readonly string[], value)
  }
}
