import { type Static, type TObject, type TProperties, type TSchema, Type } from 'typebox'
import { idPattern, type Prefix } from './ids.ts'

/** The parts of wire shapes. */

/** An id `<prefix>-<uuid>`, of exactly that length. */
export function Id(prefix: Prefix) {
  const length = prefix.length + 37
  return Type.String({ title: `${prefix}-<uuid>`, pattern: idPattern(prefix), minLength: length, maxLength: length })
}

/** A name, label, tag or foreign id, or a part of a text: short enough for the database's indexes, in any script. */
export const Name = (options: object = {}) => Type.String({ maxLength: 500, ...options })

/** One of a set of strings. */
export const OneOf = <T extends string>(values: readonly T[], options: object = {}) =>
  Type.Unsafe<T>({ type: 'string', enum: [...values], ...options })

/** The most items of a list in a request, and the most keys of a map. */
export const MAX_ITEMS = 1_000

/** The most values of a filter: each may be a condition of its own. */
export const MAX_FILTER_ITEMS = 100

/** The longest text, and the longest JSON of a map, in characters. */
export const MAX_LENGTH = 1_000_000

/** A list in a request, of at most 1,000 items unless the options have another `maxItems`. */
export const List = <T extends TSchema>(items: T, options: object = {}) =>
  Type.Array(items, { maxItems: MAX_ITEMS, ...options })

/** A list in a query, of at most 100 items. */
export const FilterList = <T extends TSchema>(items: T, options: object = {}) =>
  List(items, { maxItems: MAX_FILTER_ITEMS, ...options })

/** A text in a request, of at most a million characters. */
export const Text = (options: object = {}) => Type.String({ maxLength: MAX_LENGTH, ...options })

/** The keyword of schemas for the longest JSON of a value, in characters. */
export const MAX_JSON_LENGTH = 'x-maxJsonLength'

/** A JSON object with keys and values of the caller's own, of at most a million characters of JSON. */
export const JsonMap = (options: { [key: string]: unknown } = {}) =>
  Type.Record(Type.String(), Type.Unknown(), { [MAX_JSON_LENGTH]: MAX_LENGTH, ...options })

/** An instant: ISO 8601 with a four-digit year and a time zone. Responses use UTC with milliseconds and `Z`. */
export const Instant = (options: object = {}) => Type.String({ format: 'date-time', maxLength: 40, ...options })

/** A whole number that fits the database's integer. */
export const Int = (options: object = {}) => Type.Integer({ minimum: 0, maximum: 2_147_483_647, ...options })

/** The keywords of a schema that the functions here read. */
const keywordsOf = (schema: TSchema): { $id?: string; type?: unknown; required?: string[] } => schema

/** A reference to a named shape, by its name in the OpenAPI document. */
export const Ref = <T extends TSchema>(schema: T) => Type.Unsafe<Static<T>>({ $ref: `${keywordsOf(schema).$id}#` })

type Nullable<P extends TProperties> = { [K in keyof Static<TObject<P>>]: Static<TObject<P>>[K] | null }

/** The type of a request body: every field of the shape is optional and may be null, which means "no value". */
type NullablePartial<P extends TProperties> = { [K in keyof Nullable<P>]?: Nullable<P>[K] | undefined }

/** A field that may be null. */
export const OrNull = <T extends TSchema>(schema: T) => {
  const { type } = keywordsOf(schema)
  return Type.Unsafe<Static<T> | null>(
    typeof type === 'string' && !('enum' in schema) && !('const' in schema)
      ? { ...schema, type: [type, 'null'] }
      : { anyOf: [schema, { type: 'null' }] },
  )
}

/**
 * The body of a PATCH (JSON Merge Patch, RFC 7396, one level deep): every field optional, `null` clears it, and the
 * fields of `required` can be set but not cleared. Unknown keys are refused.
 */
export function Patch<P extends TProperties, R extends keyof P & string = never>(
  fields: P,
  required: readonly R[] = [],
  options: object = {},
) {
  const properties = Object.fromEntries(
    Object.entries(fields).map(([name, schema]) => [
      name,
      required.includes(name as R) ? schema : OrNull(schema as TSchema),
    ]),
  )
  return Type.Unsafe<
    Omit<NullablePartial<P>, R> & { [K in R & keyof Static<TObject<P>>]?: Static<TObject<P>>[K] | undefined }
  >({
    type: 'object',
    properties,
    additionalProperties: false,
    ...options,
  })
}

/** The body of a create: the fields of `required` are required; any other may be absent, or null with equal effect. */
export function Create<P extends TProperties, R extends keyof P & string = never>(
  fields: P,
  required: readonly R[] = [],
  options: object = {},
) {
  const patch = Patch(fields, required)
  return Type.Unsafe<Omit<NullablePartial<P>, R> & Pick<Static<TObject<P>>, R & keyof Static<TObject<P>>>>({
    ...patch,
    required: [...required],
    ...options,
  })
}

/** A shape by its name in the OpenAPI document. It has no other fields. */
export const Shape = <P extends TProperties>($id: string, fields: P) =>
  Type.Object(fields, { $id, additionalProperties: false })

/** An object without other fields. */
export const Closed = <P extends TProperties>(fields: P) => Type.Object(fields, { additionalProperties: false })

type OptionalOrNull<T> = { [K in keyof T]: undefined extends T[K] ? T[K] | null : T[K] }

/** An object of settings: unknown keys are refused, and an optional field may be null, which means "no value". */
export function Strict<P extends TProperties>(fields: P, options: object = {}) {
  const shape = Type.Object(fields, { additionalProperties: false, ...options })
  const required = new Set(keywordsOf(shape).required)
  const properties = Object.fromEntries(
    Object.entries(fields).map(([name, schema]) => [
      name,
      required.has(name) || 'const' in schema ? schema : OrNull(schema as TSchema),
    ]),
  )
  return Type.Unsafe<OptionalOrNull<Static<TObject<P>>>>({ ...shape, properties })
}

/** Settings that are stored without their nulls, by `omitNulls`: in code they are absent. */
export const Stored = <P extends TProperties>(fields: P, options: object = {}) =>
  Type.Unsafe<Static<TObject<P>>>(Strict(fields, options))

/** The query parameters of every list: its page and its order. Cursors are ids with this prefix. */
export function Page<K extends string = 'created_at'>(prefix: Prefix, orderBy: readonly K[] = ['created_at' as K]) {
  return {
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 200, description: 'How many at most: 1 to 200. Default 50.' }),
    ),
    order: Type.Optional(OneOf(['asc', 'desc'], { description: 'Oldest first (asc) or newest first (desc).' })),
    order_by: Type.Optional(OneOf(orderBy, { description: 'What to sort by.' })),
    after: Type.Optional({ ...Id(prefix), description: 'The rows that follow this id in the order asked for.' }),
    before: Type.Optional({
      ...Id(prefix),
      description: 'The rows immediately before this id in the order asked for.',
    }),
  }
}

/** The response of a delete without content. */
export const NoContent = Type.Unsafe<undefined>({ type: 'null', description: 'Done.' })

/** The response of a delete with a message. */
export const Message = Closed({ message: Type.String() })

/** Optional fields that may also be undefined, so that a handler can pass them on. */
type Loose<T> = { [K in keyof T]: object extends Pick<T, K> ? T[K] | undefined : T[K] }

/** Query parameters: unknown ones are refused. */
export const Query = <P extends TProperties>(fields: P) => Type.Unsafe<Loose<Static<TObject<P>>>>(Closed(fields))

/** Path parameters. */
export const Params = <P extends TProperties>(fields: P) => Type.Object(fields)

/** The query parameters of lists with an offset instead of a cursor. */
export const Offset = {
  limit: Type.Optional(Int({ minimum: 1, maximum: 200, description: 'How many at most: 1 to 200. Default 50.' })),
  offset: Type.Optional(Int({ description: 'How many to leave out at the start. Default 0.' })),
}
