import { closest, distance } from 'fastest-levenshtein'
import type { FastifySchemaValidationError } from 'fastify'
import type { ValidationIssue } from '../lib/errors.ts'

/** A validation error as Ajv gives it with `verbose`. */
export type Invalid = FastifySchemaValidationError & {
  schemaPath: string
  params: Record<string, unknown>
  parentSchema?: { title?: string; properties?: object; type?: string | string[] }
  data?: unknown
}

const PLACES = { params: 'path', querystring: 'query', headers: 'header', body: 'body' } as const

/** `/tool_rules/0/type` → `tool_rules[0].type`. */
function fieldOf(instancePath: string): string {
  return instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce((path, part) => (/^\d+$/.test(part) ? `${path}[${part}]` : path ? `${path}.${part}` : part), '')
}

const join = (path: string, key: string) => (path ? `${path}.${key}` : key)

const words: Record<string, string> = {
  integer: 'a whole number',
  number: 'a number',
  string: 'a string',
  boolean: 'true or false',
  object: 'an object',
  array: 'an array',
  null: 'null',
}

function describe(error: Invalid, known: readonly string[]): { field: string; message: string } {
  const field = fieldOf(error.instancePath)
  const { params } = error
  switch (error.keyword) {
    case 'additionalProperties': {
      const key = String(params.additionalProperty)
      const near = known.length > 0 ? closest(key, known) : ''
      const hint = near && distance(key, near) <= Math.max(2, key.length / 3) ? `; did you mean "${near}"?` : ''
      return { field: join(field, key), message: `is not a known name here${hint}` }
    }
    case 'required':
      return { field: join(field, String(params.missingProperty)), message: 'is required' }
    case 'type': {
      const names = String(params.type).split(',')
      return { field, message: `must be ${names.map((name) => words[name] ?? name).join(' or ')}` }
    }
    case 'enum':
      return { field, message: `must be one of ${(params.allowedValues as unknown[]).join(', ')}` }
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
    case 'minimum':
      return { field, message: `must be at least ${params.limit}` }
    case 'maximum':
      return { field, message: `must be at most ${params.limit}` }
    default:
      return { field, message: error.message ?? 'is not valid' }
  }
}

/** The errors of a union reduced to those of the variant that was meant: the one whose tag fits, else the nearest. */
function ofMeantVariant(errors: Invalid[]): Invalid[] {
  let left = errors
  const unions = errors
    .filter(({ keyword }) => keyword === 'anyOf')
    .sort((a, b) => b.schemaPath.length - a.schemaPath.length)
  for (const union of unions) {
    const inside = (error: Invalid) =>
      error !== union &&
      error.schemaPath.startsWith(`${union.schemaPath}/`) &&
      error.instancePath.startsWith(union.instancePath)
    const branches = Map.groupBy(
      left.filter(inside),
      (error) => error.schemaPath.slice(union.schemaPath.length + 1).split('/')[0],
    )
    // A value that isn't null was not meant as null; a tag that doesn't fit rules a variant out.
    const miss = (error: Invalid) => (isNullFault(error) ? 1000 : error.keyword === 'const' ? 100 : 1)
    const tags = [...branches.values()].flat().filter(({ keyword }) => keyword === 'const')
    // A variant that failed without a fault of its own failed by a shape it refers to, whose faults stand elsewhere.
    const variants = (union as { schema?: unknown }).schema
    const referring = Array.isArray(variants) && variants.some((_, index) => !branches.has(String(index)))
    const ranked = referring ? [] : [...branches.values()].sort((a, b) => sum(a.map(miss)) - sum(b.map(miss)))
    let meant = ranked[0] ?? []
    if (tags.length > 1 && meant.some(({ keyword }) => keyword === 'const')) {
      const [tag] = tags
      meant = [
        {
          ...tag!,
          keyword: 'enum',
          params: { allowedValues: [...new Set(tags.map(({ params }) => params.allowedValue))] },
        },
      ]
    }
    left = left.filter((error) => error !== union && (!inside(error) || meant.includes(error)))
    for (const error of meant) if (!left.includes(error)) left.push(error)
    if (meant.length === 0 && !referring) left.push(union)
  }
  // Where the value is at fault itself, that it isn't null either says nothing.
  const elsewhere = (error: Invalid) =>
    left.some((other) => other !== error && !isNullFault(other) && other.instancePath.startsWith(error.instancePath))
  return left.filter((error) => !isNullFault(error) || !elsewhere(error))
}

const isNullFault = ({ keyword, params }: Invalid) => keyword === 'type' && params.type === 'null'

const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0)

/** Every issue of a request that failed validation, each once, in words. `named` gives an error the caller's names. */
export function validationIssues(
  errors: FastifySchemaValidationError[],
  context: string,
  named: (error: Invalid) => Invalid = (error) => error,
): ValidationIssue[] {
  const faults = ofMeantVariant(errors as Invalid[]).map((error) => ({
    in: PLACES[context as keyof typeof PLACES] ?? 'body',
    ...describe(named(error), Object.keys(error.parentSchema?.properties ?? {})),
  }))
  const seen = new Set<string>()
  return faults.filter(({ field, message }) => {
    const key = `${field} ${message}`
    return !seen.has(key) && seen.add(key)
  })
}
