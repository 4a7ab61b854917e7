/** A JSON Schema, as far as it is made here. */
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

/** Where something stands in a source; both count from 1. */
export interface Place {
  line: number
  column: number
}

/** Something a tool can't be made from, and where. */
export interface SourceFault {
  place?: Place | undefined
  message: string
}

/** Thrown for a source no tool can be made from. */
export class UnreadableSource extends Error {
  readonly faults: readonly SourceFault[]

  constructor(...faults: SourceFault[]) {
    super(faults.map(({ message }) => message).join('; '))
    this.faults = faults
  }
}

/** What a parameter or a field may hold, and whether it may be left out. */
export interface Value {
  schema: JsonSchema
  optional: boolean
}

export interface Parameter {
  name: string
  place: Place
  /** Reads its type. Throws UnreadableSource for one that JSON can't hold. */
  value: () => Value
  description: string | undefined
}

/** The function a source is about. */
export interface Signature {
  name: string
  place: Place
  description: string | undefined
  parameters: Parameter[]
  /** Where descriptions are expected. */
  described: { whole: string; parameter: string }
}

const MAX_DEPTH = 30
const MAX_TYPES = 1000

/**
 * Guards the translation of types: a type that contains itself, types nested deeper than 30, and more than 1000 of them
 * for one function (named types are written out wherever they are used) are faults.
 */
export function createGuard() {
  const within: string[] = []
  let depth = 0
  let count = 0

  /** Translates one type; what it contains is translated inside `work`. */
  function guarded<T>(place: Place, work: () => T): T {
    if (++count > MAX_TYPES) {
      throw new UnreadableSource({
        place,
        message: `the parameters hold more than ${MAX_TYPES} types when written out`,
      })
    }
    if (++depth > MAX_DEPTH) {
      throw new UnreadableSource({ place, message: `types must not be nested deeper than ${MAX_DEPTH} levels` })
    }
    try {
      return work()
    } finally {
      depth--
    }
  }

  /** Translates a type defined in the source. */
  function named<T>(name: string, place: Place, work: () => T): T {
    if (within.includes(name)) {
      throw new UnreadableSource({
        place,
        message: `the type ${name} contains itself, which a tool's parameters can't`,
      })
    }
    within.push(name)
    try {
      return guarded(place, work)
    } finally {
      within.pop()
    }
  }

  return { guarded, named }
}

/** One of several schemas; a single one stands for itself. */
export function anyOf(schemas: readonly JsonSchema[]): JsonSchema {
  const distinct = [...new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values()]
  return distinct.length === 1 ? distinct[0]! : { anyOf: distinct }
}

/** One of these values. */
export function oneOfValues(values: readonly (string | number | boolean)[]): JsonSchema {
  const types = new Set(values.map((value) => (Number.isInteger(value) ? 'integer' : typeof value)))
  const [type] = types.size === 1 ? types : []
  return { ...(type && { type }), enum: [...new Set(values)] }
}

/** An object with these fields. */
export function jsonObject(fields: readonly (readonly [name: string, value: Value])[]): JsonSchema {
  const byName = new Map(fields)
  return {
    type: 'object',
    properties: Object.fromEntries([...byName].map(([name, { schema }]) => [name, schema])),
    required: [...byName].filter(([, { optional }]) => !optional).map(([name]) => name),
  }
}

/** A schema with a description of its own, where there is one. */
export const described = (schema: JsonSchema, description: string | undefined): JsonSchema =>
  description ? { ...schema, description } : schema
