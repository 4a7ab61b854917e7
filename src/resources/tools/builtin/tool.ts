import { type TProperties, Type } from 'typebox'
import type { TOOL_TYPES } from '../schema.ts'

/** A tool the server brings with it. */
export interface BuiltinTool {
  name: string
  tool_type: (typeof TOOL_TYPES)[number]
  description: string
  /** JSON Schema. */
  parameters: { type: 'object'; properties: TProperties; required: string[] }
  /** Its calls don't disturb each other, so several may run at once. */
  parallel: boolean
}

type Definitions = Record<string, { description: string; parameters: TProperties; parallel?: true }>

/** Built-in tools of one type, by their names. */
export const toolsOf = (tool_type: BuiltinTool['tool_type'], definitions: Definitions): BuiltinTool[] =>
  Object.entries(definitions).map(([name, { description, parameters: properties, parallel = false }]) => {
    const { required = [] } = Type.Object(properties)
    return { name, tool_type, description, parameters: { type: 'object', properties, required }, parallel }
  })

/** A parameter that is a text. */
export const text = (description: string) => Type.String({ description })

/** A parameter that is a list of texts. */
export const texts = (description: string) => Type.Array(Type.String(), { description })

/** A parameter that is a whole number. */
export const integer = (description: string) => Type.Integer({ description })

/** A parameter that is true or false. */
export const flag = (description: string) => Type.Boolean({ description })
