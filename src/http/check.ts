import type { FastifyRequest } from 'fastify'
import type { Fault } from '../lib/errors.ts'
import { faultsOf } from './validation-messages.ts'

/** Validates values as bodies are validated: the faults of one by a schema. For what a body holds as text. */
export const checkOf =
  (request: FastifyRequest) =>
  (schema: object, value: unknown): Fault[] => {
    // What the server's compiler makes answers with its faults, not with a truth value.
    const validate = request.compileValidationSchema(schema as never, 'body') as unknown as (value: unknown) => {
      error?: { validation: Parameters<typeof faultsOf>[0] }
    }
    return faultsOf(validate(value).error?.validation ?? [], 'body')
  }
