import type { RJSFSchema } from '@rjsf/utils'

/** Keys whose values are schemas by name. */
const MAPS = new Set(['properties', 'schemas', '$defs', 'definitions'])

const isNull = (schema: unknown) => (schema as RJSFSchema).type === 'null'

function inner(key: string, value: unknown): unknown {
  if (!MAPS.has(key)) return withoutNull(value)
  return Object.fromEntries(Object.entries(value as object).map(([name, schema]) => [name, withoutNull(schema)]))
}

/**
 * A schema for a form: without `null`, which a form expresses by an empty control, and without titles and patterns, which say for
 * programs what the description says for people.
 */
export function withoutNull(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutNull)
  if (typeof schema !== 'object' || schema === null) return schema
  const { anyOf, type, title: _title, pattern: _pattern, ...rest } = schema as RJSFSchema
  const kept = Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, inner(key, value)]))
  const types = [type ?? []].flat().filter((one) => one !== 'null')
  const choices = anyOf?.filter((choice) => !isNull(choice)).map(withoutNull) as RJSFSchema[] | undefined
  if (choices?.length === 1) return { ...kept, ...choices[0] }
  return {
    ...kept,
    ...(types.length > 0 && { type: types.length === 1 ? types[0] : types }),
    ...(choices && { anyOf: choices }),
  }
}
