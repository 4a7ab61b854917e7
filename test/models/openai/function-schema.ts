import { type Json, kindOf } from '../shape.ts'
import { invalid } from './refusals.ts'

const TOP_LEVEL = ['oneOf', 'anyOf', 'allOf', 'enum', 'not']

/** Keywords that strict schemas may not contain. */
const NOT_STRICT = ['allOf', 'not', 'oneOf', 'dependentRequired', 'dependentSchemas', 'if', 'then', 'else']

const contextOf = (path: readonly string[]) =>
  `In context=(${path.map((step) => `'${step}'`).join(', ')}${path.length === 1 ? ',' : ''})`

/** The schemas directly inside of a schema, with their paths. */
function inside(schema: Json, path: readonly string[]): [Json, string[]][] {
  const lists = ['properties', '$defs', 'definitions'].flatMap((key) =>
    Object.entries(schema[key] ?? {}).map(([name, inner]): [Json, string[]] => [inner, [...path, key, name]]),
  )
  const options = (schema.anyOf ?? []).map((inner: Json, at: number): [Json, string[]] => [
    inner,
    [...path, 'anyOf', `${at}`],
  ])
  return [...lists, ...options, ...(schema.items ? [[schema.items, [...path, 'items']] as [Json, string[]]] : [])]
}

function checkStrict(schema: Json, path: readonly string[], fail: (reason: string) => never): void {
  const context = contextOf(path)
  const banned = NOT_STRICT.find((keyword) => keyword in schema)
  if (banned) fail(`${context}, '${banned}' is not permitted.`)
  if (schema.type === 'object' || schema.properties) {
    if (schema.additionalProperties !== false) {
      fail(`${context}, 'additionalProperties' is required to be supplied and to be false.`)
    }
    const missing = Object.keys(schema.properties ?? {}).find((name) => !(schema.required ?? []).includes(name))
    if (missing !== undefined) {
      const rule = "'required' is required to be supplied and to be an array including every key in properties."
      fail(`${context}, ${rule} Missing '${missing}'.`)
    }
    const extra = (schema.required ?? []).find((name: string) => !(name in (schema.properties ?? {})))
    if (extra !== undefined)
      fail(
        `${context}, 'required' is required to be supplied and to be an array including every key in properties. Extra required key '${extra}' supplied.`,
      )
  }
  if (!['type', 'anyOf', '$ref', 'enum', 'const'].some((key) => key in schema))
    fail(`${context}, schema must have a 'type' key.`)
}

function checkTree(schema: Json, path: string[], strict: boolean, fail: (reason: string) => never): void {
  if (kindOf(schema) !== 'object') fail(`${contextOf(path)}, schema must be an object.`)
  if ([schema.type].flat().includes('array') && !schema.items) fail(`${contextOf(path)}, array schema missing items.`)
  if (strict) checkStrict(schema, path, fail)
  for (const [inner, at] of inside(schema, path)) checkTree(inner, at, strict, fail)
}

/** Checks the parameters of a function; `strict` by the rules of structured outputs. */
export function checkFunctionSchema(name: string, schema: Json, strict: boolean, param: string): void {
  const fail = (reason: string): never =>
    invalid(`Invalid schema for function '${name}': ${reason}`, param, 'invalid_function_parameters')
  if (schema.type !== 'object') {
    const type = schema.type === undefined ? 'None' : String(schema.type)
    fail(`schema must be a JSON Schema of 'type: "object"', got 'type: "${type}"'.`)
  }
  if (TOP_LEVEL.some((keyword) => keyword in schema)) {
    fail("schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level.")
  }
  if (!strict && schema.properties === undefined) fail(`${contextOf([])}, object schema missing properties.`)
  checkTree(schema, [], strict, fail)
}
