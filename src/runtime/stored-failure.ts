import { ApiError } from '../lib/errors.ts'
import type { StopReason } from '../resources/messages/schema.ts'
import type { Failure } from './failure.ts'

type ErrorFields = Pick<ApiError, 'code' | 'message' | 'headers' | 'issues' | 'lettaCode' | 'fields' | 'vendorFields'>

/** A failure as the row of its run stores it. */
export type StoredFailure = Omit<Failure, 'error'> & { error: ErrorFields }

/** A failure with all that its caller gets, for the row of its run. */
export function storedFailure({ error, ...failure }: Failure): StoredFailure {
  const { code, message, headers, issues, lettaCode, fields, vendorFields } = error
  return { ...failure, error: { code, message, headers, issues, lettaCode, fields, vendorFields } as ErrorFields }
}

/** The parts of a failed run's row. */
export interface FailedRun {
  stop_reason: StopReason | null
  metadata: { error?: { type: string; message: string } } | null
  failure: StoredFailure | null
}

/** How a run failed. Of runs that failed before failures were stored, only the kind and the message are known. */
export function failureOfRun({ stop_reason, metadata, failure }: FailedRun): Failure {
  if (failure) {
    const { code, message, ...options } = failure.error
    return { ...failure, error: new ApiError(code, message, options as object) }
  }
  const { type = 'internal_error', message = 'The run failed.' } = metadata?.error ?? {}
  const error = new ApiError('model_failed', message, { fields: { error: { type, message } } })
  return { stopReason: stop_reason ?? 'error', type, message, detail: message, error }
}
