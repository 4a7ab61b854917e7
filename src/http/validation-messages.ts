import { closest, distance } from 'fastest-levenshtein'
import type { FastifySchemaValidationError } from 'fastify'
import type { ValidationIssue } from '../lib/errors.ts'
import { NEUTRAL_FIELDS, NEUTRAL_VALUES } from '../lib/vendor-names.ts'
import { MAX_JSON_LENGTH, MAX_LENGTH } from '../lib/wire.ts'
import { type Invalid, reduceUnions } from './union-errors.ts'

/** The parts of a request, by the framework's names. */
const PARTS = { params: 'path', querystring: 'query', headers: 'header', body: 'body' } as const

/** `/tool_rules/0/type` → `tool_rules[0].type`. */
function fieldOf(instancePath: string): string {
  return instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce((path, part) => (/^\d+$/.test(part) ? `${path}[${part}]` : path ? `${path}.${part}` : part), '')
}

const join = (path: string, key: string) => (path ? `${path}.${key}` : key)

/** The words of messages for the types of JSON Schema. */
const TYPES: Record<string, string> = {
  integer: 'a whole number',
  number: 'a number',
  string: 'a string',
  boolean: 'true or false',
  object: 'an object',
  array: 'an array',
  null: 'null',
}

/** The errors that are turned into issues, at most: each error of a union is compared with all others. */
const MOST_ERRORS = 2_000

/** An unknown key that is longer is no misspelling. */
const LONGEST_NAME = 100

/** A hint for a name of the Letta API: on the surface for its clients, names are translated before they are validated. */
const hintAtLetta = (name: unknown, neutralNames: Readonly<Record<string, string>>) =>
  Object.hasOwn(neutralNames, String(name))
    ? `; "${name}" is a name of the Letta API, whose clients use the base URL of this server with /letta appended`
    : ''

/** The field of an error, and a message that says what to send. `known`: the keys of the object. */
function describe(error: Invalid, known: readonly string[]): { field: string; message: string } {
  const field = fieldOf(error.instancePath)
  const { params } = error
  switch (error.keyword) {
    case 'additionalProperties': {
      const key = String(params.additionalProperty)
      const near = known.length > 0 && key.length <= LONGEST_NAME ? closest(key, known) : ''
      const hint = near && distance(key, near) <= Math.max(2, key.length / 3) ? `; did you mean "${near}"?` : ''
      return { field: join(field, key), message: `is not a known name here${hintAtLetta(key, NEUTRAL_FIELDS) || hint}` }
    }
    case 'required':
      return { field: join(field, String(params.missingProperty)), message: 'is required' }
    case 'type': {
      const names = String(params.type).split(',')
      return { field, message: `must be ${names.map((name) => TYPES[name] ?? name).join(' or ')}` }
    }
    case 'enum':
      return {
        field,
        message: `must be one of ${(params.allowedValues as unknown[]).join(', ')}${hintAtLetta(error.data, NEUTRAL_VALUES)}`,
      }
    case 'const':
      return { field, message: `must be ${JSON.stringify(params.allowedValue)}` }
    case 'pattern':
    case 'minLength':
    case 'maxLength':
      if (error.parentSchema?.title?.endsWith('-<uuid>')) {
        return { field, message: `must be an id of the form ${error.parentSchema.title}` }
      }
      if (error.keyword === 'pattern') {
        return { field, message: `must be ${error.parentSchema?.title ?? `text that matches ${params.pattern}`}` }
      }
      return {
        field,
        message: `must have ${error.keyword === 'minLength' ? 'at least' : 'at most'} ${params.limit} characters`,
      }
    case 'format':
      return { field, message: `must be a ${params.format} (ISO 8601 with a time zone)` }
    case 'uniqueItems':
      return { field, message: `must not repeat an item: items ${params.j} and ${params.i} are the same` }
    case 'maxItems':
      return { field, message: `must have at most ${params.limit} items` }
    case 'maxProperties':
      return { field, message: `must have at most ${params.limit} keys` }
    case MAX_JSON_LENGTH:
      return { field, message: `must be at most ${MAX_LENGTH} characters of JSON` }
    case 'minimum':
      return { field, message: `must be at least ${params.limit}` }
    case 'maximum':
      return { field, message: `must be at most ${params.limit}` }
    default:
      return { field, message: error.message ?? 'is not valid' }
  }
}

/** The issues of a request that failed validation, each once: those of its first errors, if it has thousands. `translate` gives an error the caller's names. */
export function validationIssues(
  errors: FastifySchemaValidationError[],
  context: string,
  translate: (error: Invalid) => Invalid = (error) => error,
): ValidationIssue[] {
  const issues = reduceUnions((errors as Invalid[]).slice(0, MOST_ERRORS)).map((error) => ({
    in: PARTS[context as keyof typeof PARTS] ?? 'body',
    ...describe(translate(error), Object.keys(error.parentSchema?.properties ?? {})),
  }))
  const seen = new Set<string>()
  return issues.filter(({ field, message }) => {
    const key = `${field} ${message}`
    return !seen.has(key) && seen.add(key)
  })
}
