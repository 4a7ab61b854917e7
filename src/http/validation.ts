import { Ajv, type ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'
import type { FastifyInstance, FastifySchemaCompiler } from 'fastify'
import type { TSchema } from 'typebox'
import { invalid } from '../lib/errors.ts'
import { storageIssue } from '../lib/json.ts'
import { readQuery } from './query.ts'

const DATE_TIME = /^(\d{4}-\d\d-\d\d)[T ]\d\d:\d\d:\d\d(\.\d+)?(Z|[+-](0\d|1[0-5]):[0-5]\d)$/

/**
 * Whether a text is a date and time with a zone (ISO 8601) that can be kept: a day of the calendar, at most 15:59 from
 * UTC, and a four-digit year in UTC too.
 */
function isInstant(given: string): boolean {
  const text = given.toUpperCase()
  const [, date, fraction = ''] = DATE_TIME.exec(text) ?? []
  if (date === undefined) return false
  // The language takes 30 February for 2 March.
  if (!new Date(`${date}T00:00Z`).toJSON()?.startsWith(date)) return false
  // Kept in milliseconds, a finer one may be the next.
  const rounding = fraction.length > '.000'.length ? 1 : 0
  const year = new Date(Date.parse(text.replace(' ', 'T')) + rounding).getUTCFullYear()
  return year >= 1 && year <= 9999
}

/** The validator lists every issue of a request up to this many values: a list of millions would take all the memory. */
const MOST_VALUES = 100_000

/** The number of values in a JSON value, counted up to somewhat above `most`. */
function countValues(value: unknown, most: number): number {
  if (value === null || typeof value !== 'object') return 1
  let count = 1
  for (const inner of Array.isArray(value) ? value : Object.values(value)) {
    if (count > most) break
    count += countValues(inner, most - count)
  }
  return count
}

/**
 * Compiles schemas into validators, which coerce, default and remove nothing. They report every issue, but of a huge
 * request the first one alone. A schema is compiled at the first call of its route: compiling all of them would take most
 * of the time of a start.
 */
export function createValidatorCompiler(shapes: readonly TSchema[]): FastifySchemaCompiler<object> {
  const [first, every] = [false, true].map((allErrors) => {
    // The shapes are our own: holding them against the schema of schemas would be a tenth of the time a start takes.
    const ajv = new Ajv({ allErrors, verbose: true, strictTypes: false, validateSchema: false })
    addFormats.default(ajv)
    ajv.addFormat('date-time', isInstant)
    for (const shape of shapes) ajv.addSchema(shape)
    return ajv
  }) as [Ajv, Ajv]
  return ({ schema }) => {
    const compiled = new Map<Ajv, ValidateFunction>()
    return (data: unknown) => {
      const ajv = countValues(data, MOST_VALUES) > MOST_VALUES ? first : every
      const validate = compiled.get(ajv) ?? ajv.compile(schema)
      compiled.set(ajv, validate)
      return validate(data) ? { value: data } : { error: Object.assign(new Error(), { validation: validate.errors }) }
    }
  }
}

/** Reads query strings by their schema, and refuses text that can't be stored as it is, wherever it stands. */
export function addValidation(app: FastifyInstance): void {
  app.addHook('preValidation', (request, _reply, done) => {
    for (const [place, value] of [
      ['path', request.params],
      ['query', request.query],
      ['body', request.body],
    ] as const) {
      const fault = storageIssue(value)
      if (fault) return done(invalid({ in: place, field: fault.path, message: fault.message }))
    }
    const { schema } = request.routeOptions
    if (schema?.querystring) {
      request.query = readQuery(request.query as Record<string, string | string[]>, schema.querystring as object)
    }
    done()
  })
}
