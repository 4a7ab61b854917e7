import type { TOOL_TYPES } from '../schema.ts'

/** A parameter of a built-in tool, as JSON Schema. */
export interface Parameter {
  type: 'string' | 'integer' | 'boolean' | 'array' | 'object'
  description?: string
  enum?: string[]
  items?: Parameter
  properties?: Record<string, Parameter>
  required?: string[]
}

/** A tool the server brings with it. */
export interface BuiltinTool {
  name: string
  tool_type: (typeof TOOL_TYPES)[number]
  description: string
  properties: Record<string, Parameter>
  required: string[]
  /** Its calls don't disturb each other, so several may run at once. */
  parallel?: boolean
}
