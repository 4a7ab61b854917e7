import { ApiError, conflict, inBody, notFound } from '../lib/errors.ts'
import { nounOf } from '../lib/ids.ts'
import { MAX_RESOURCE_MB } from './render/page.ts'

interface PgError {
  code?: string
  detail?: string
  constraint?: string
}

/** SQLSTATE codes (PostgreSQL documentation, Appendix A) that get a response of their own. */
const FOREIGN_KEY_VIOLATION = '23503'
export const UNIQUE_VIOLATION = '23505'
const UNSTORABLE = ['22008', '22021', '22P05', '54000', '54001']
/** The code of the function `refuse_size`, whose message is the id of the resource. */
const TOO_LARGE = 'CA001'
/** Classes and codes of a database that can't be reached, or can't do the work now. */
const UNAVAILABLE = /^(08|53|57P|57014|58030|25006|40001|40P01|55P03)/
/** Those of a connection that is lost, or can't be had. */
const LOST = /^(08|57P|53300)/
/** Node's codes and the driver's messages for a connection that can't be had. */
const UNREACHABLE = /^(ECONN|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EPIPE)/
const CONNECTION_LOST =
  /timeout exceeded when trying to connect|Connection terminated|Cannot use a pool after|is not queryable/
/** The messages for callers while the database is unavailable, by the code of the error. */
const REASONS: Readonly<Record<string, string>> = {
  25006: 'The database is read-only at the moment.',
  53100: 'The disk of the database is full.',
  57014: 'The database took too long.',
}

/** A serialization failure and a deadlock: the database rolled the work back in favour of another transaction. */
export const isRetryable = (error: unknown): boolean => ['40001', '40P01'].includes((error as PgError).code ?? '')

/** An error that makes the transaction start again. */
export const serializationFailure = (message: string): Error => Object.assign(new Error(message), { code: '40001' })

/** Whether an error says that the database can't be reached, or can't do the work now. */
export function isUnavailable({ code, message }: Error & { code?: string }): boolean {
  return code === undefined ? CONNECTION_LOST.test(message) : UNAVAILABLE.test(code) || UNREACHABLE.test(code)
}

/** Errors of a connection that can't be had: no statement was sent. */
const UNSENT = /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|57P03|53300)$/

/** Whether work failed for want of a connection, before any of it was sent. */
export const isUnsent = (error: unknown): boolean =>
  error instanceof Error &&
  (UNSENT.test((error as PgError).code ?? '') || error.message === 'timeout exceeded when trying to connect')

/** Whether an ApiError says that the connection of a statement was lost, or couldn't be had. */
export function isDisconnected(error: unknown): boolean {
  if (!(error instanceof ApiError && error.code === 'unavailable' && error.cause instanceof Error)) return false
  const { code, message } = error.cause as Error & PgError
  return code === undefined ? CONNECTION_LOST.test(message) : LOST.test(code) || UNREACHABLE.test(code)
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
    const issues = [inBody('', 'has a value that cannot be stored')]
    return new ApiError('invalid', 'A value of the request cannot be stored.', { issues, cause: error })
  }
  if (code === TOO_LARGE) {
    const message = `takes more than ${MAX_RESOURCE_MB} MB with what is attached to it: shorten that, detach it, or read it by itself`
    return new ApiError('invalid', `The ${nounOf(error.message)} ${error.message} ${message}.`, { cause: error })
  }
  if (isUnavailable(error)) {
    const reason = REASONS[code ?? ''] ?? 'The database cannot be reached at the moment.'
    return new ApiError('unavailable', `${reason} Try again.`, {
      headers: { 'retry-after': '1' },
      cause: error,
    })
  }
  return error
}
