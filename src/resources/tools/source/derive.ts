import { storageIssue } from '../../../lib/json.ts'
import { described, type JsonSchema } from './json-schema.ts'
import { pythonFunctions, readPython } from './python.ts'
import { type Signature, type SourceFault, UnreadableSource } from './signature.ts'
import { readTypeScript } from './typescript.ts'
import { typeScriptFunctions } from './typescript-functions.ts'

/** The source that a tool's schema is derived from. */
export interface ToolSource {
  source_code: string
  source_type: string
  /** The parameters, in place of those of the signature. With them, the source needs no description. */
  args_json_schema?: Record<string, unknown> | null | undefined
  /** Whether no model reads the function: its parameters need names alone. */
  is_only_called?: boolean
}

/** A tool as models read it. */
export interface DerivedSchema {
  name: string
  description?: string
  parameters: { type: 'object'; properties: Record<string, unknown>; required: string[] }
}

/** The schema, or every problem of the source. */
export type Derived = { schema: DerivedSchema } | { faults: string[] }

const READERS: Record<string, (source: string) => Signature> = { python: readPython, typescript: readTypeScript }

const FUNCTIONS: Record<string, (source: string) => string[]> = {
  python: pythonFunctions,
  typescript: typeScriptFunctions,
}

/** The names of the functions that a source defines at its top level; none for a source that can't be read. */
export function functionNames({ source_code, source_type }: ToolSource): string[] {
  try {
    return FUNCTIONS[source_type]?.(source_code) ?? []
  } catch (error) {
    if (error instanceof UnreadableSource || error instanceof RangeError) return []
    throw error
  }
}

const worded = ({ position, message }: SourceFault) =>
  position ? `line ${position.line}, column ${position.column}: ${message}` : message

/** The parameters of a signature, and their problems. */
function parametersOf({ parameters, described: { parameter: where } }: Signature) {
  const faults: SourceFault[] = []
  const properties: [string, JsonSchema][] = []
  const required: string[] = []
  for (const { name, position, description, value } of parameters) {
    if (!description) faults.push({ position, message: `parameter ${name} is not described: add it to ${where}` })
    try {
      const { schema, optional } = value()
      properties.push([name, described(schema, description)])
      if (!optional) required.push(name)
    } catch (error) {
      if (!(error instanceof UnreadableSource)) throw error
      faults.push(...error.faults)
    }
  }
  return { faults, parameters: { type: 'object' as const, properties: Object.fromEntries(properties), required } }
}

/** The parameters of a signature by their names, of any type. */
const namesOf = ({ parameters }: Signature) => ({
  properties: Object.fromEntries(parameters.map(({ name }) => [name, {}])),
})

function read({ source_code, source_type, args_json_schema, is_only_called }: ToolSource): DerivedSchema {
  const reader = READERS[source_type]
  if (!reader) throw new UnreadableSource({ message: `a tool of type ${source_type} needs a json_schema` })
  const signature = reader(source_code)
  const { name, position, description } = signature
  const given = is_only_called ? namesOf(signature) : args_json_schema
  const { faults, parameters } = given
    ? { faults: [] as SourceFault[], parameters: { properties: {}, required: [], ...given, type: 'object' as const } }
    : parametersOf(signature)
  if (!description && !given)
    faults.unshift({ position, message: `function ${name} is not described: ${signature.described.whole}` })
  if (faults.length > 0) throw new UnreadableSource(...faults)
  return { name, ...(description && { description }), parameters }
}

/**
 * Derives the schema of a tool from its source alone: the name of the function, its description, and its
 * parameters as JSON Schema. The source is parsed, never run.
 */
export function deriveSchema(source: ToolSource): Derived {
  try {
    const schema = read(source)
    const fault = storageIssue(schema)
    return fault ? { faults: [`${fault.path} ${fault.message}`] } : { schema }
  } catch (error) {
    if (error instanceof UnreadableSource) return { faults: error.faults.map(worded) }
    if (error instanceof RangeError) return { faults: ['is nested too deeply to be read: give json_schema with it'] }
    throw error
  }
}
