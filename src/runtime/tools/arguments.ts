import { ToolError } from '../memory.ts'
import type { Arguments } from './tool.ts'

/** The text of a required argument. Throws a ToolError that names it. */
export function text(args: Arguments, name: string): string {
  const value = args[name]
  if (typeof value !== 'string') throw new ToolError(`The argument "${name}" is missing: it must be a text.`)
  return value.replaceAll('\0', '')
}

/** The text of an argument that may be absent. Throws a ToolError for another type. */
export const optionalText = (args: Arguments, name: string): string | undefined =>
  args[name] == null ? undefined : text(args, name)

/** The text of a required argument that has an older name, too. Throws a ToolError that names it. */
export const firstText = (args: Arguments, name: string, older: string): string =>
  text(args, args[name] == null && args[older] != null ? older : name)

/** The texts of an argument that may be absent; one text is a list of one. Throws a ToolError for another type. */
export function optionalTexts(args: Arguments, name: string): string[] | undefined {
  const value = args[name]
  if (value == null) return undefined
  const list: unknown[] = Array.isArray(value) ? value : [value]
  return list.map((item) => text({ [name]: item }, name))
}

/** One of these texts, or undefined. Throws a ToolError for another. */
export function optionalChoice<T extends string>(args: Arguments, name: string, choices: readonly T[]): T | undefined {
  const value = optionalText(args, name)
  if (value === undefined) return undefined
  const choice = choices.find((one) => one === value)
  if (choice === undefined) throw new ToolError(`The argument "${name}" must be one of ${choices.join(', ')}.`)
  return choice
}

/** The whole number of an argument that may be absent. Throws a ToolError for another type, and for a number below `least`. */
export function optionalInteger(args: Arguments, name: string, least = Number.MIN_SAFE_INTEGER): number | undefined {
  const value = args[name]
  if (value == null) return undefined
  const number = typeof value === 'string' ? Number(value) : value
  if (typeof number !== 'number' || !Number.isInteger(number)) {
    throw new ToolError(`The argument "${name}" must be a whole number.`)
  }
  if (number < least) throw new ToolError(`The argument "${name}" must be at least ${least}.`)
  return number
}

/** The truth value of an argument that may be absent; models write it as a text, too. Throws a ToolError for another type. */
export function optionalFlag(args: Arguments, name: string): boolean | undefined {
  const value = args[name]
  if (value == null) return undefined
  if (value === true || value === 'true') return true
  if (value === false || value === 'false') return false
  throw new ToolError(`The argument "${name}" must be true or false.`)
}
