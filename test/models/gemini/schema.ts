import { type Json, kindOf } from '../shape.ts'
import { broken, invalid, pathOf, unknownName } from './refusals.ts'

/** The keywords of Gemini's own schemas, a part of OpenAPI's. */
const KEYWORDS = new Set(
  (
    'type format title description nullable enum maxItems minItems properties required minProperties maxProperties ' +
    'minLength maxLength pattern example anyOf propertyOrdering default items minimum maximum'
  ).split(' '),
)
const TYPES = ['STRING', 'NUMBER', 'INTEGER', 'BOOLEAN', 'ARRAY', 'OBJECT', 'NULL']

const entriesOf = (properties: Json) => Object.entries(properties ?? {}) as [string, Json][]

/** Checks what a schema is made of. Paths count properties: `properties[0].value`. */
export function checkKeywords(schema: Json, path: string): void {
  if (kindOf(schema) !== 'object')
    invalid(
      `Invalid value at '${path}' (type.googleapis.com/google.ai.generativelanguage.v1beta.Schema), ${JSON.stringify(schema)}`,
    )
  for (const [keyword, value] of Object.entries(schema)) {
    if (!KEYWORDS.has(keyword)) unknownName([path], keyword)
    if (keyword === 'type' && Array.isArray(value))
      unknownName([path], 'type', 'Proto field is not repeating, cannot start list.')
  }
  if (schema.type !== undefined && !TYPES.includes(String(schema.type).toUpperCase())) {
    invalid(
      `Invalid value at '${path}.type' (type.googleapis.com/google.ai.generativelanguage.v1beta.Type), "${schema.type}"`,
    )
  }
  for (const [at, [, inner]] of entriesOf(schema.properties).entries())
    checkKeywords(inner, `${path}.properties[${at}].value`)
  for (const [at, inner] of (schema.anyOf ?? []).entries()) checkKeywords(inner, `${path}.any_of[${at}]`)
  if (schema.items !== undefined) checkKeywords(schema.items, `${path}.items`)
}

/** Checks what a schema says. Paths name properties: `properties[sides]`. */
export function checkMeaning(schema: Json, path: string): void {
  const type = String(schema.type ?? '').toUpperCase()
  const names = entriesOf(schema.properties).map(([name]) => name)
  if (type === 'OBJECT' && names.length === 0) broken([`${path}.properties`], 'should be non-empty for OBJECT type')
  for (const [at, name] of (schema.required ?? []).entries()) {
    if (!names.includes(name)) broken([`${path}.required[${at}]`], 'property is not defined')
  }
  if (schema.enum && type !== 'STRING') broken([`${path}.enum`], 'only allowed for STRING type')
  if (type === 'ARRAY' && schema.items === undefined) broken([`${path}.items`], 'missing field.')
  for (const [name, inner] of entriesOf(schema.properties)) checkMeaning(inner, `${path}.properties[${name}]`)
  for (const [at, inner] of (schema.anyOf ?? []).entries()) checkMeaning(inner, `${path}.any_of[${at}]`)
  if (schema.items !== undefined) checkMeaning(schema.items, `${path}.items`)
}

/** Checks a schema at a path of the request. */
export function checkSchema(schema: Json, path: readonly (string | number)[]): void {
  checkKeywords(schema, pathOf(path))
  checkMeaning(schema, pathOf(path))
}
