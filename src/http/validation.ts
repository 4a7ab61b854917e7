import { Ajv, type ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'
import type { FastifyInstance, FastifySchemaCompiler } from 'fastify'
import type { TSchema } from 'typebox'
import { invalid } from '../lib/errors.ts'
import { storageFault } from '../lib/json.ts'
import { readQuery } from './query.ts'

/**
 * Compiles schemas into validators: nothing is coerced, filled in or removed, and every fault is reported. A schema is
 * compiled when its route is first called: compiling them all would be most of the time a start takes.
 */
export function createValidatorCompiler(shapes: readonly TSchema[]): FastifySchemaCompiler<object> {
  const ajv = new Ajv({ allErrors: true, verbose: true, strictTypes: false })
  addFormats.default(ajv)
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
    const { schema } = request.routeOptions
    if (schema?.querystring) {
      request.query = readQuery(request.query as Record<string, string | string[]>, schema.querystring as object)
    }
    for (const [place, value] of [
      ['path', request.params],
      ['query', request.query],
      ['body', request.body],
    ] as const) {
      const fault = storageFault(value)
      if (fault) return done(invalid({ in: place, field: fault.path, message: fault.message }))
    }
    done()
  })
}
