import { Ajv, type ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'
import type { FastifyInstance, FastifySchemaCompiler } from 'fastify'
import type { TSchema } from 'typebox'
import { invalid } from '../lib/errors.ts'
import { storageFault } from '../lib/json.ts'
import { readQuery } from './query.ts'

const DATE_TIME = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/

/** Whether a text is a date and time with a zone (ISO 8601) that has a four-digit year in UTC too. */
function isInstant(text: string): boolean {
  const year = new Date(text).getUTCFullYear()
  return DATE_TIME.test(text) && year >= 1 && year <= 9999
}

/**
 * Compiles schemas into validators: nothing is coerced, filled in or removed, and every fault is reported. A schema is
 * compiled when its route is first called: compiling them all would be most of the time a start takes.
 */
export function createValidatorCompiler(shapes: readonly TSchema[]): FastifySchemaCompiler<object> {
  const ajv = new Ajv({ allErrors: true, verbose: true, strictTypes: false })
  addFormats.default(ajv)
  ajv.addFormat('date-time', isInstant)
  for (const shape of shapes) ajv.addSchema(shape)
  return ({ schema }) => {
    let compiled: ValidateFunction | undefined
    return (data: unknown) => {
      compiled ??= ajv.compile(schema)
      return compiled(data) ? { value: data } : { error: Object.assign(new Error(), { validation: compiled.errors }) }
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
      const fault = storageFault(value)
      if (fault) return done(invalid({ in: place, field: fault.path, message: fault.message }))
    }
    const { schema } = request.routeOptions
    if (schema?.querystring) {
      request.query = readQuery(request.query as Record<string, string | string[]>, schema.querystring as object)
    }
    done()
  })
}
