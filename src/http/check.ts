import type { FastifyRequest } from 'fastify'
import type { ValidationIssue } from '../lib/errors.ts'
import { validationIssues } from './validation-messages.ts'

/** What the compiler of src/http/validation.ts returns, for which the framework has no type of its own. */
interface Result {
  error?: { validation: Parameters<typeof validationIssues>[0] }
}

/** Validates values as bodies are validated, such as JSON in a part of a form. The issues of a value, by a schema. */
export const checkOf =
  (request: FastifyRequest) =>
  (schema: object, value: unknown): ValidationIssue[] => {
    const validate = request.compileValidationSchema(schema as { [key: string]: unknown }, 'body')
    const result: unknown = validate(value)
    return validationIssues((result as Result).error?.validation ?? [], 'body')
  }
