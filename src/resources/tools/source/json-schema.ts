/** The JSON Schema of the parameters of a tool: the keywords that are derived from types. */
export interface JsonSchema {
  type?: string
  description?: string
  properties?: Record<string, JsonSchema>
  required?: string[]
  additionalProperties?: JsonSchema | boolean
  items?: JsonSchema
  prefixItems?: JsonSchema[]
  minItems?: number
  maxItems?: number
  uniqueItems?: boolean
  format?: string
  enum?: (string | number | boolean)[]
  anyOf?: JsonSchema[]
}

/** The schema of a parameter or a field, and whether a call may omit it. */
export interface Value {
  schema: JsonSchema
  optional: boolean
}

/** A schema for the values of any of these schemas: the schema itself if there is only one. */
export function anyOf(schemas: readonly JsonSchema[]): JsonSchema {
  const distinct = [...new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values()]
  return distinct.length === 1 ? distinct[0]! : { anyOf: distinct }
}

/** The schema of an enumeration. */
export function oneOfValues(values: readonly (string | number | boolean)[]): JsonSchema {
  const types = new Set(values.map((value) => (Number.isInteger(value) ? 'integer' : typeof value)))
  const [type] = types.size === 1 ? types : []
  return { ...(type && { type }), enum: [...new Set(values)] }
}

/** The schema of an object with these fields. */
export function jsonObject(fields: readonly (readonly [name: string, value: Value])[]): JsonSchema {
  const byName = new Map(fields)
  return {
    type: 'object',
    properties: Object.fromEntries([...byName].map(([name, { schema }]) => [name, schema])),
    required: [...byName].filter(([, { optional }]) => !optional).map(([name]) => name),
  }
}

/** The schema with a description, if one is passed. */
export const described = (schema: JsonSchema, description: string | undefined): JsonSchema =>
  description ? { ...schema, description } : schema
