import { ApiError, type ErrorCode } from '../lib/errors.ts'
import { ModelError, type ModelErrorType } from '../llm/model-error.ts'
import type { StopReason } from '../resources/messages/schema.ts'
import { NoCallError } from './answer.ts'
import { PromptTooLongError } from './compaction/make-room.ts'

/** How a run failed: for its row, its stream, and the response of a blocking caller. */
export interface Failure {
  stopReason: StopReason
  type: string
  message: string
  detail: string
  error: ApiError
}

const CODES: Readonly<Record<ModelErrorType, ErrorCode>> = {
  llm_timeout: 'gateway_timeout',
  llm_rate_limit: 'too_many_requests',
  llm_insufficient_credits: 'payment_required',
  llm_authentication: 'unauthorized',
  llm_bad_request: 'bad_request',
  llm_context_window: 'bad_request',
  llm_empty_response: 'model_failed',
  llm_overloaded: 'model_overloaded',
  llm_error: 'model_failed',
}

/** Why a run ends whose call of a model failed. */
export function stopReasonOf(error: ModelError): StopReason {
  if (error instanceof NoCallError) return 'no_tool_call'
  return error.type === 'llm_empty_response' ? 'invalid_llm_response' : 'llm_api_error'
}

/** The kind of a failure as clients of this API know it: they know no overload. */
const wireType = ({ type }: ModelError) => (type === 'llm_overloaded' ? 'llm_error' : type)

function modelFailure(error: ModelError): Failure {
  const { message, detail, headers } = error
  const type = wireType(error)
  const fields = { error: { type, message, detail } }
  return {
    stopReason: stopReasonOf(error),
    type,
    message,
    detail,
    error: new ApiError(CODES[error.type], `${message} ${detail}`, { headers, fields, cause: error }),
  }
}

/** The error of a request whose call of a model failed: a 502 for a ModelError. */
export const upstreamFailure = (error: unknown): unknown =>
  error instanceof ModelError ? new ApiError('bad_gateway', modelFailure(error).error.message, { cause: error }) : error

/** The failure of a run that ended with an error. Of an error that isn't meant for callers, they learn nothing. */
export function failureOf(error: unknown): Failure {
  if (error instanceof ModelError) return modelFailure(error)
  if (error instanceof ApiError) {
    const { message } = error
    return { stopReason: 'error', type: 'internal_error', message, detail: message, error }
  }
  if (error instanceof PromptTooLongError) {
    const message = "The system prompt and the tools alone are longer than the model's context window."
    const stopReason = 'context_window_overflow_in_system_prompt'
    return { stopReason, type: stopReason, message, detail: message, error: new ApiError('bad_request', message) }
  }
  const message = 'Something went wrong here. Quote the id of the run when you report it.'
  return {
    stopReason: 'error',
    type: 'internal_error',
    message,
    detail: message,
    error: new ApiError('internal', message, { cause: error }),
  }
}
