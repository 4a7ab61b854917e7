import type { Tool } from '../resources/tools/schema.ts'
import type { Call } from './calls.ts'

const FITS: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  integer: Number.isInteger,
  boolean: (value) => typeof value === 'boolean',
  array: Array.isArray,
  object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  null: (value) => value === null,
}

interface Parameters {
  properties?: Record<string, { type?: string | string[] }>
  $defs?: Record<string, object>
}

export const parametersOf = ({ json_schema }: Pick<Tool, 'json_schema'>): Parameters =>
  ((json_schema ?? {}) as { parameters?: Parameters }).parameters ?? {}

/** The reason why a tool can't take an argument that a rule prescribes; undefined where the tool can. */
function problemOf(tool: Tool, name: string, value: unknown): string | undefined {
  const parameter = parametersOf(tool).properties?.[name]
  if (!parameter) return `The tool ${tool.name} has no argument "${name}", which a tool rule prescribes.`
  const types = [parameter.type ?? []].flat()
  if (types.length === 0 || types.some((type) => FITS[type]?.(value) ?? true)) return undefined
  return `The argument "${name}" of ${tool.name}, which a tool rule prescribes, must be of the type ${types.join(' or ')}.`
}

/** A call with the arguments that rules prescribe, which replace the model's. It has a `problem` where the tool can't take them. */
export function withPrescribed(call: Call, prescribed: ReadonlyMap<string, object>, tools: readonly Tool[]): Call {
  const added = prescribed.get(call.name)
  const tool = tools.find(({ name }) => name === call.name)
  if (!added || !tool || !call.args) return call
  const problem = Object.entries(added).flatMap(([name, value]) => problemOf(tool, name, value) ?? [])[0]
  const args = { ...call.args, ...added }
  return { ...call, args, input: JSON.stringify(args), problem }
}
