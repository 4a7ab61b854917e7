import { ToolError } from '../memory.ts'
import type { Arguments } from './tool.ts'

/** The text of a required argument. Throws a ToolError that names it. */
export function text(args: Arguments, name: string): string {
  const value = args[name]
  if (typeof value !== 'string') throw new ToolError(`The argument "${name}" is missing: it must be a text.`)
  return value.replaceAll('\0', '')
}

/** The whole number of an argument that may be absent. Throws a ToolError for another type. */
export function optionalInteger(args: Arguments, name: string): number | undefined {
  const value = args[name]
  if (value == null) return undefined
  const number = typeof value === 'string' ? Number(value) : value
  if (typeof number !== 'number' || !Number.isInteger(number)) {
    throw new ToolError(`The argument "${name}" must be a whole number.`)
  }
  return number
}
