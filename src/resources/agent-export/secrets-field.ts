import { inBody, invalid } from '../../lib/errors.ts'

/** The secrets in a form field, from JSON. 422 for any text but an object of strings. */
export function secretsIn(field: 'secrets' | 'env_vars_json', text: string | undefined): Record<string, string> {
  if (text === undefined) return {}
  const refused = invalid(inBody(field, 'must be a JSON object whose values are strings'))
  let secrets: unknown
  try {
    secrets = JSON.parse(text)
  } catch {
    throw refused
  }
  const isText = (value: unknown) => typeof value === 'string' && value.isWellFormed() && !value.includes('\0')
  if (typeof secrets !== 'object' || secrets === null || Array.isArray(secrets)) throw refused
  if (!Object.entries(secrets).every(([key, value]) => key && key.length <= 500 && isText(key) && isText(value))) {
    throw refused
  }
  return secrets as Record<string, string>
}
