import { ApiError, type ErrorCode } from '../lib/errors.ts'

/** Thrown for a change of a call that can't be made: the call has failed, and the others run again. */
export class RefusedError extends Error {
  readonly callId: string

  constructor(callId: string, message: string) {
    super(message)
    this.callId = callId
  }
}

/** Errors that name a mistake of the caller, or a service outside that fails. */
const REFUSALS: readonly ErrorCode[] = [
  'bad_request',
  'not_found',
  'conflict',
  'invalid',
  'payload_too_large',
  'bad_gateway',
  'gateway_timeout',
]

/** Whether an error is one that the model should read: a call with other arguments, or a later one, may succeed. */
export const isRefusal = (error: unknown): error is ApiError =>
  error instanceof ApiError && REFUSALS.includes(error.code)

/** Runs the changes of a call. Throws a RefusedError in place of an error that is the caller's mistake, except these. */
export async function asCall<T>(callId: string, work: () => Promise<T>, except: readonly ErrorCode[] = []): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!isRefusal(error) || except.includes(error.code)) throw error
    throw new RefusedError(callId, error.message)
  }
}
