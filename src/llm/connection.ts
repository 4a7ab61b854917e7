import type { Fetch } from '../lib/egress.ts'
import { EgressError } from '../lib/egress-address.ts'
import { ApiError, inBody } from '../lib/errors.ts'
import type { ProviderType } from '../lib/provider-types.ts'
import { TransactionGuardError } from '../lib/transaction-guard.ts'

/** The address and the credentials of a provider, and the function that sends requests. */
export interface Connection {
  /** The owner's name of the provider, for messages. */
  name: string
  type: ProviderType
  url: string
  apiKey?: string | undefined
  accessKey?: string | undefined
  sessionToken?: string | undefined
  region?: string | undefined
  apiVersion?: string | undefined
  fetch: Fetch
}

/**
 * An error response of a provider, in our words alone: the text of the response may repeat the request with its key, so
 * the error has none of it, not even as its cause. `key` is true if the provider refuses the key.
 */
export class ProviderError extends ApiError {
  readonly key: boolean
  /** Whether a retry may succeed. */
  readonly passing: boolean
  /** The headers of the response that name the time to wait. */
  readonly wait: Record<string, string>

  constructor(
    detail: string,
    {
      key = false,
      passing = false,
      wait = {},
    }: { key?: boolean; passing?: boolean; wait?: Record<string, string> } = {},
  ) {
    super('bad_gateway', detail)
    this.key = key
    this.passing = passing
    this.wait = wait
  }
}

/** Statuses after which a retry may succeed (RFC 9110, RFC 6585). */
const isPassing = (status: number) => status >= 500 || [408, 409, 425, 429].includes(status)

/** Whether a retry of an unchanged request would fail again. */
export const isFinal = (error: unknown): error is ApiError =>
  error instanceof ProviderError ? !error.passing : error instanceof ApiError && !isPassing(error.status)

/** The error for a status other than success. */
export function refusedWith(name: string, status: number, headers: Record<string, string> = {}): ProviderError {
  if (status === 401 || status === 403) {
    return new ProviderError(`${name} does not accept the API key (it answers ${status}).`, { key: true })
  }
  if (status === 404) return new ProviderError(`${name} has nothing at this address (it answers 404).`)
  const wait = Object.fromEntries(Object.entries(headers).filter(([header]) => header.startsWith('retry-after')))
  const phrase = status === 429 ? 'limits how often it is asked (it answers 429)' : `answers ${status}`
  return new ProviderError(`${name} ${phrase}.`, { passing: isPassing(status), wait })
}

/** The status of a response, with 401 for Google's response to a wrong key: a 400 that names the key in its body only. */
export const statusOf = (type: ProviderType, status: number, body = '') =>
  status === 400 && (type === 'google_ai' || type === 'google_vertex') && body.includes('API_KEY_INVALID')
    ? 401
    : status

/** The innermost reason of a failed connection. */
export function reasonOf(error: unknown): string {
  const { code: errorCode, cause, name } = error as { code?: unknown; cause?: unknown; name?: string }
  // Errors of the language itself have numbers as codes.
  const code = typeof errorCode === 'string' ? errorCode : ''
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'its name cannot be resolved'
  if (code === 'ECONNREFUSED') return 'it refuses the connection'
  if (code.startsWith('CERT_') || code.includes('SELF_SIGNED') || code.startsWith('ERR_TLS')) {
    return 'its certificate is not valid'
  }
  if (code.includes('TIMEOUT') || code === 'ETIMEDOUT' || name === 'TimeoutError') return 'it takes too long'
  if (cause) return reasonOf(cause)
  if (code === 'ECONNRESET' || code === 'UND_ERR_SOCKET' || code === 'EPIPE') return 'it cuts the connection'
  return code ? `the connection fails (${code})` : 'the connection fails'
}

/**
 * The error for a response that didn't come, or didn't end: a 502, or a 422 for an address that this server doesn't
 * connect to. Throws a TransactionGuardError as it is: the mistake is ours.
 */
export function unreached(name: string, error: unknown): ApiError {
  for (let at = error; at; at = (at as { cause?: unknown }).cause) {
    if (at instanceof EgressError) {
      const issues = [inBody('base_url', at.message)]
      return new ApiError('invalid', `${name} cannot be used: ${at.message}`, { issues, cause: at })
    }
    if (at instanceof ApiError) return at
    if (at instanceof TransactionGuardError) throw at
  }
  return new ProviderError(`${name} cannot be reached: ${reasonOf(error)}.`, { passing: true })
}
