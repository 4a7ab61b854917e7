import type { APICallError } from '@ai-sdk/provider'
import { EgressError } from '../lib/egress-address.ts'

/** The kinds of failed calls of a model, as clients of this API know them. */
export type ModelErrorType =
  | 'llm_timeout'
  | 'llm_rate_limit'
  | 'llm_insufficient_credits'
  | 'llm_authentication'
  | 'llm_bad_request'
  | 'llm_context_window'
  | 'llm_empty_response'
  | 'llm_overloaded'
  | 'llm_error'

/** A failed call of a model. `detail` is the provider's own text; it holds no key. */
export class ModelError extends Error {
  readonly type: ModelErrorType
  readonly detail: string
  /** Whether a repeated call may succeed. */
  readonly passing: boolean
  readonly headers: Record<string, string>
  readonly #request: unknown

  constructor(
    type: ModelErrorType,
    detail: string,
    {
      passing = false,
      headers = {},
      cause,
      request,
    }: { passing?: boolean; headers?: Record<string, string>; cause?: unknown; request?: unknown } = {},
  ) {
    super(MESSAGES[type], { cause })
    this.type = type
    this.detail = detail
    this.passing = passing
    this.headers = headers
    this.#request = request
  }

  /** The body that went to the provider; undefined where none did. No log shows it. */
  get request(): unknown {
    return this.#request
  }
}

const MESSAGES: Record<ModelErrorType, string> = {
  llm_timeout: 'The model took too long to respond.',
  llm_rate_limit: 'The provider of the model limits the rate of requests: wait before the next one.',
  llm_insufficient_credits: 'The account at the provider of the model has no credit left.',
  llm_authentication: 'The provider of the model refuses the API key.',
  llm_bad_request: 'The provider of the model refuses the request.',
  llm_context_window: "The request is longer than the model's context window.",
  llm_empty_response: 'The model responded with nothing.',
  llm_overloaded: 'The provider of the model is overloaded.',
  llm_error: 'The call of the model failed.',
}

/** Texts by which providers say that a request is too long. */
const TOO_LONG =
  /context[_ ]length|context[_ ]window|maximum context|prompt is too long|input is too long|too many (input )?tokens|exceeds? the (model'?s? )?(maximum|limit|available context)|input token count/i

const NO_CREDIT =
  /insufficient[_ ](quota|credit|balance|fund)|credit balance|billing|exceeded your current quota|out of credits/i

/** The kind of an error response. */
function typeOf(status: number | undefined, text: string): ModelErrorType {
  if (status === 413 || (status !== undefined && status < 500 && TOO_LONG.test(text))) return 'llm_context_window'
  if (status === 402 || NO_CREDIT.test(text)) return 'llm_insufficient_credits'
  if (status === 401) return 'llm_authentication'
  if (status === 429) return 'llm_rate_limit'
  if (status === 408 || status === 504) return 'llm_timeout'
  if (status === 400) return 'llm_bad_request'
  if (status === 529 || /overloaded/i.test(text)) return 'llm_overloaded'
  return 'llm_error'
}

const PASSING = new Set([408, 409, 425, 429, 500, 502, 503, 504, 520, 522, 524, 529])

/** The text of a provider's error, out of its JSON where it has one. */
function providerText(error: APICallError): string {
  const body = error.responseBody ?? ''
  try {
    const { error: inner, message } = JSON.parse(body) as { error?: { message?: string } | string; message?: string }
    const text = typeof inner === 'string' ? inner : inner?.message
    return text ?? message ?? error.message
  } catch {
    return body.length > 0 && body.length < 1000 ? body : error.message
  }
}

const isCallError = (error: unknown): error is APICallError =>
  error instanceof Error && error.name === 'AI_APICallError'

/** The headers of a response that say when to try again. */
const waitHeaders = (headers: Record<string, string> = {}) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('retry-after')))

/** The ModelError of any error that a provider's package throws or streams, for a call with this request. */
export function toModelError(error: unknown, request?: unknown): ModelError {
  if (error instanceof ModelError) return error
  for (let at = error; at instanceof Error; at = at.cause) {
    if (at instanceof EgressError) return new ModelError('llm_error', at.message, { cause: error, request })
    if (at.name === 'TimeoutError' || /TIMEOUT/.test(String((at as { code?: unknown }).code ?? ''))) {
      return new ModelError('llm_timeout', at.message, { passing: true, cause: error, request })
    }
  }
  if (isCallError(error)) {
    const { statusCode } = error
    const text = providerText(error)
    const type = typeOf(statusCode, `${text} ${error.responseBody ?? ''}`)
    const detail = statusCode === undefined ? text : `${statusCode}: ${text}`
    const passing = type !== 'llm_insufficient_credits' && (statusCode === undefined || PASSING.has(statusCode))
    const headers = waitHeaders(error.responseHeaders)
    return new ModelError(type, detail, { passing, headers, cause: error, request: request ?? error.requestBodyValues })
  }
  // An error inside a stream is the provider's object, or a text.
  const text = error instanceof Error ? error.message : typeof error === 'string' ? error : JSON.stringify(error)
  const { code, status } = (error ?? {}) as { code?: unknown; status?: unknown }
  const number = [code, status].map(Number).find((value) => value >= 400 && value < 600)
  return new ModelError(typeOf(number, text), text, {
    passing: number === undefined || PASSING.has(number),
    cause: error,
    request,
  })
}
