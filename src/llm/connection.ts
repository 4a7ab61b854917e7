import type { Fetch } from '../lib/egress.ts'
import { EgressError } from '../lib/egress-address.ts'
import { ApiError } from '../lib/errors.ts'
import type { ProviderType } from '../lib/provider-types.ts'
import { TransactionGuardError } from '../lib/transaction-guard.ts'

/** How a provider is reached: its address, its credentials, and by what. */
export interface Connection {
  /** What its owner calls it: for what is said of it. */
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
 * What a provider's answer means, in our words alone: what it says itself may repeat the request with its key, so none of
 * it is kept, not even as a cause for the log. `key` when it is the key that isn't accepted.
 */
export class ProviderError extends ApiError {
  readonly key: boolean
  /** Whether asking again may help. */
  readonly passing: boolean
  /** How long the provider asks to wait, as its headers say it. */
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

/** Statuses after which asking again may help (RFC 9110, RFC 6585). */
const isPassing = (status: number) => status >= 500 || [408, 409, 425, 429].includes(status)

/** Whether the same, with nothing changed, would fail again: a refusal, or a fault of what was asked for. */
export const isFinal = (error: unknown): error is ApiError =>
  error instanceof ProviderError ? !error.passing : error instanceof ApiError && !isPassing(error.status)

/** What a status other than success means. */
export function refusedWith(name: string, status: number, headers: Record<string, string> = {}): ProviderError {
  if (status === 401 || status === 403) {
    return new ProviderError(`${name} does not accept the API key (it answers ${status}).`, { key: true })
  }
  if (status === 404) return new ProviderError(`${name} has nothing at this address (it answers 404).`)
  const wait = Object.fromEntries(Object.entries(headers).filter(([header]) => header.startsWith('retry-after')))
  const said = status === 429 ? 'limits how often it is asked (it answers 429)' : `answers ${status}`
  return new ProviderError(`${name} ${said}.`, { passing: isPassing(status), wait })
}

/** Google answers a wrong key with 400, and says only in its body that it is the key. The status others answer then. */
export const statusOf = (type: ProviderType, status: number, body = '') =>
  status === 400 && (type === 'google_ai' || type === 'google_vertex') && body.includes('API_KEY_INVALID')
    ? 401
    : status

/** The innermost reason of a failed connection. */
function reasonOf(error: unknown): string {
  const { code: given, cause, name } = error as { code?: unknown; cause?: unknown; name?: string }
  // The language's own errors have numbers there.
  const code = typeof given === 'string' ? given : ''
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
    if (at instanceof EgressError)
      return new ApiError('invalid', `${name} cannot be used: ${at.message}`, { cause: at })
    if (at instanceof ApiError) return at
    if (at instanceof TransactionGuardError) throw at
  }
  return new ProviderError(`${name} cannot be reached: ${reasonOf(error)}.`, { passing: true })
}
