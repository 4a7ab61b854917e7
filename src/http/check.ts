import type { FastifyRequest } from 'fastify'
import type { ValidationIssue } from '../lib/errors.ts'
import { validationIssues } from './validation-messages.ts'

/** The result of the validators of src/http/validation.ts, which the framework has no type for. */
interface Result {
  error?: { validation: Parameters<typeof validationIssues>[0] }
}

/** Lists the issues of a value under a schema, by the rules of bodies: for JSON in a part of a form. */
export const checkOf =
  (request: FastifyRequest) =>
  (schema: object, value: unknown): ValidationIssue[] => {
    const validate = request.compileValidationSchema(schema as { [key: string]: unknown }, 'body')
    const result: unknown = validate(value)
    return validationIssues((result as Result).error?.validation ?? [], 'body')
  }
