import type { Failure } from '../lib/retry.ts'
import { type Connection, ProviderError, refusedWith, statusOf, unreached } from '../llm/connection.ts'

interface CallError {
  statusCode?: number
  responseHeaders?: Record<string, string>
  responseBody?: string
  cause?: unknown
}

/** The errors of the packages for a response in another format. */
const INVALID_RESPONSE = /^AI_(TypeValidation|JSONParse|InvalidResponseData|EmptyResponseBody)Error$/

/** The error of a call for the caller. The packages' errors contain the request and the response, so only the status is used. */
export function toProviderError({ name, type }: Connection, error: unknown): Error {
  const { statusCode, responseHeaders, responseBody, cause } = error as CallError
  if (error instanceof ProviderError) return error
  if (statusCode !== undefined && (statusCode < 200 || statusCode >= 300))
    return refusedWith(name, statusOf(type, statusCode, responseBody), responseHeaders)
  if ([error, cause].some((at) => INVALID_RESPONSE.test((at as Error | undefined)?.name ?? ''))) {
    return new ProviderError(`${name} answers with something else than vectors: is its address right?`)
  }
  return unreached(name, error)
}

/** Whether a call may succeed when it is repeated. */
export const failureOf = (error: unknown): Failure =>
  error instanceof ProviderError ? { passing: error.passing, headers: error.wait } : { passing: false }
