import type { FastifyInstance } from 'fastify'
import { invalid } from '../lib/errors.ts'
import { storageFault } from '../lib/json.ts'
import { readQuery } from './query.ts'

/** Ajv's settings: nothing is coerced, filled in or removed, and every fault is reported. */
export const ajvOptions = {
  coerceTypes: false,
  useDefaults: false,
  removeAdditional: false,
  allErrors: true,
  verbose: true,
  strictTypes: false,
} as const

/** Reads query strings by their schema, and refuses text that can't be stored as it is, wherever it stands. */
export function addValidation(app: FastifyInstance): void {
  app.addHook('preValidation', async (request) => {
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
      if (fault) throw invalid({ in: place, field: fault.path, message: fault.message })
    }
  })
}
