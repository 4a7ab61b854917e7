import type { FastifyRequest } from 'fastify'
import { FIELDS, VALUES } from '../lib/vendor-names.ts'
import { isLetta } from './letta.ts'
import type { Invalid } from './union-errors.ts'

/** A validation error in the vendor's names: the fields of its schema, and the allowed values. */
function toVendorError(error: Invalid): Invalid {
  const { instancePath, schemaPath, params } = error
  const nameOf = (part: string) => (schemaPath.includes(`/properties/${part}/`) ? (FIELDS[part] ?? part) : part)
  const { allowedValues } = params as { allowedValues?: unknown[] }
  const allowed = (value: unknown) => VALUES[String(value)] ?? value
  return {
    ...error,
    instancePath: instancePath.split('/').map(nameOf).join('/'),
    params: { ...params, ...(allowedValues && { allowedValues: allowedValues.map(allowed) }) },
  }
}

/** Gives a validation error the names of a request's surface; undefined where its names are neutral. */
export const errorTranslator = (request: FastifyRequest) => (isLetta(request) ? toVendorError : undefined)
