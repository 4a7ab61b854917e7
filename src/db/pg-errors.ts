import { ApiError, conflict, notFound } from '../lib/errors.ts'
import { nounOf } from '../lib/ids.ts'

interface PgError {
  code?: string
  detail?: string
  constraint?: string
}

/** SQLSTATE codes (PostgreSQL documentation, Appendix A) that get a response of their own. */
const FOREIGN_KEY_VIOLATION = '23503'
const UNIQUE_VIOLATION = '23505'
const UNSTORABLE = ['22008', '22021', '22P05', '54000']
/** Classes and codes of a database that can't be reached, or can't do the work now. */
const UNAVAILABLE = /^(08|53|57P|40001|40P01|55P03)/
/** Node's codes and the driver's messages for a connection that can't be had. */
const UNREACHABLE = /^(ECONN|ENOTFOUND|ETIMEDOUT|EHOSTUNREACH|EPIPE)/
const CONNECTION_LOST = /timeout exceeded when trying to connect|Connection terminated|Cannot use a pool after/

/** A serialization failure and a deadlock: the database rolled the work back in favour of another transaction. */
export const isRetryable = (error: unknown): boolean => ['40001', '40P01'].includes((error as PgError).code ?? '')

/** An error that makes the transaction start again. */
export const serializationFailure = (message: string): Error => Object.assign(new Error(message), { code: '40001' })

function isUnavailable({ code, message }: PgError & Error): boolean {
  return code === undefined ? CONNECTION_LOST.test(message) : UNAVAILABLE.test(code) || UNREACHABLE.test(code)
}

/**
 * The ApiError for an error of the database, or the error itself when it is a bug. `conflicts` has the messages for
 * violations of unique constraints. A reference to a row that doesn't exist is a 404 that names the id: foreign keys are the
 * check, so that it holds against any race.
 */
export function toApiError(error: unknown, conflicts: Readonly<Record<string, string>> = {}): unknown {
  if (error instanceof ApiError || !(error instanceof Error)) return error
  const { code, detail, constraint } = error as PgError
  if (code === FOREIGN_KEY_VIOLATION) {
    const missing = /=\([^,]+, ([^,)]+)/.exec(detail ?? '')?.[1]
    if (missing && !detail?.includes('referenced')) return notFound(nounOf(missing), missing)
  }
  if (code === UNIQUE_VIOLATION) {
    // A distributed database appends the number of a shard to the name of a constraint.
    const message = conflicts[constraint?.replace(/_\d+$/, '') ?? '']
    if (message) return conflict(message)
  }
  if (code && UNSTORABLE.includes(code)) {
    return new ApiError('invalid', 'A value of the request cannot be stored.', { cause: error })
  }
  if (isUnavailable(error)) {
    return new ApiError('unavailable', 'The database cannot be reached at the moment. Try again.', {
      headers: { 'retry-after': '1' },
      cause: error,
    })
  }
  return error
}
