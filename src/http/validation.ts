import { Ajv, type ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'
import type { FastifyInstance, FastifySchemaCompiler } from 'fastify'
import type { TSchema } from 'typebox'
import { invalid } from '../lib/errors.ts'
import { storageIssue } from '../lib/json.ts'
import { MAX_JSON_LENGTH } from '../lib/wire.ts'
import { readQuery } from './query.ts'

const DATE_TIME = /^(\d{4}-\d\d-\d\d)[T ]\d\d:\d\d:\d\d(\.\d+)?(Z|[+-](0\d|1[0-5]):[0-5]\d)$/

/**
 * Whether a text is a date and time with a zone (ISO 8601) that can be stored: a day of the calendar, an offset of at most
 * 15:59, and a four-digit year in UTC.
 */
function isInstant(value: string): boolean {
  const text = value.toUpperCase()
  const [, date, fraction = ''] = DATE_TIME.exec(text) ?? []
  if (date === undefined) return false
  // Date reads 30 February as 2 March.
  if (!new Date(`${date}T00:00Z`).toJSON()?.startsWith(date)) return false
  // Storing in milliseconds may round a finer fraction up, into the next year.
  const rounding = fraction.length > '.000'.length ? 1 : 0
  const year = new Date(Date.parse(text.replace(' ', 'T')) + rounding).getUTCFullYear()
  return year >= 1 && year <= 9999
}

/** Whether the JSON of a value is at most this long, in characters. */
const isShortJson = (most: number, value: unknown) => JSON.stringify(value).length <= most

/** The validator looks for all issues of requests with at most this many values: a value may have dozens of issues. */
const MOST_VALUES = 10_000

/**
 * One function for each shape, as it is written: schemas are compiled in a third of the time, at the first request of a route, and a
 * validator takes a few microseconds more.
 */
export const QUICK_TO_COMPILE = { code: { optimize: false }, inlineRefs: false } as const

/** The number of values in a JSON value; counting stops soon above `most`. */
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
 * Compiles schemas into validators without coercion, defaults and removal. They report every issue, but only the first of
 * a large request. A schema is compiled at the first call of its route: compiling all would take most of the start.
 */
export function createValidatorCompiler(shapes: readonly TSchema[]): FastifySchemaCompiler<object> {
  const [first, every] = [false, true].map((allErrors) => {
    // The shapes are our own: checking them against the meta-schema would take a tenth of the start.
    const ajv = new Ajv({ allErrors, verbose: true, strictTypes: false, validateSchema: false, ...QUICK_TO_COMPILE })
    addFormats.default(ajv)
    ajv.addKeyword({ keyword: MAX_JSON_LENGTH, validate: isShortJson })
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

/** Converts query strings by their schema. 422 for a value anywhere in the request that can't be stored exactly. */
export function addValidation(app: FastifyInstance): void {
  app.addHook('preValidation', (request, _reply, done) => {
    for (const [part, value] of [
      ['path', request.params],
      ['query', request.query],
      ['body', request.body],
    ] as const) {
      const issue = storageIssue(value)
      if (issue) return done(invalid({ in: part, field: issue.path, message: issue.message }))
    }
    const { schema } = request.routeOptions
    if (schema?.querystring) {
      request.query = readQuery(request.query as Record<string, string | string[]>, schema.querystring as object)
    }
    done()
  })
}
