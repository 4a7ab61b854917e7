import { type Schema, Validator } from '@cfworker/json-schema'
import type { RJSFSchema, ValidatorType } from '@rjsf/utils'

function check(schema: RJSFSchema, value: unknown, root: RJSFSchema = schema) {
  const { $defs, definitions, components } = root
  const whole = { $defs, definitions, components, ...schema }
  return new Validator(JSON.parse(JSON.stringify(whole)) as Schema, '2020-12').validate(value)
}

/** Validates by interpretation: the usual validators generate code, which the content security policy forbids. */
export const validator: ValidatorType = {
  isValid: (schema, value, root) => check(schema, value, root).valid,
  rawValidation: <Result>(schema: RJSFSchema, value: unknown) => ({ errors: check(schema, value).errors as Result[] }),
  validateFormData: () => ({ errors: [], errorSchema: {} }),
}
