/** Every error this server answers with, by its code: HTTP status and title. */
const ERRORS = {
  malformed_json: [400, 'Malformed JSON'],
  bad_request: [400, 'Bad request'],
  unauthorized: [401, 'Unauthorized'],
  forbidden: [403, 'Forbidden'],
  not_found: [404, 'Not found'],
  method_not_allowed: [405, 'Method not allowed'],
  request_timeout: [408, 'Request timeout'],
  conflict: [409, 'Conflict'],
  precondition_failed: [412, 'Precondition failed'],
  payload_too_large: [413, 'Payload too large'],
  unsupported_media_type: [415, 'Unsupported media type'],
  invalid: [422, 'Invalid request'],
  too_many_requests: [429, 'Too many requests'],
  headers_too_large: [431, 'Request header fields too large'],
  internal: [500, 'Internal error'],
  bad_gateway: [502, 'Bad gateway'],
  unavailable: [503, 'Service unavailable'],
} as const

export type ErrorCode = keyof typeof ERRORS

/** One problem of a request: its place, and what to send instead. */
export interface ValidationIssue {
  in: 'path' | 'query' | 'header' | 'body'
  field: string
  message: string
}

/** An error with a response. The caller gets its message and its issues; the cause is for the log alone. */
export class ApiError extends Error {
  readonly code: ErrorCode
  readonly headers: Record<string, string>
  readonly faults: ValidationIssue[] | undefined

  constructor(
    code: ErrorCode,
    detail: string,
    options: { headers?: Record<string, string>; faults?: ValidationIssue[]; cause?: unknown } = {},
  ) {
    super(detail, { cause: options.cause })
    this.code = code
    this.headers = options.headers ?? {}
    this.faults = options.faults
  }

  get status(): number {
    return ERRORS[this.code][0]
  }
}

/** The body of an error answer: problem details as of RFC 9457, the same shape for every error. */
export function problem(error: ApiError, requestId: string) {
  return {
    type: `/errors/${error.code.replaceAll('_', '-')}`,
    title: ERRORS[error.code][1],
    status: error.status,
    code: error.code,
    detail: error.message,
    message: error.message,
    request_id: requestId,
    ...(error.faults && { errors: error.faults }),
  }
}

/** Clients of this API send a 409 again unless told not to. */
const FINAL = { 'x-should-retry': 'false' }

/** 404. A resource that isn't there and another organization's get this same answer, byte for byte but for the id. */
export const notFound = (noun: string, id: string) =>
  new ApiError('not_found', `No ${noun} with id ${id} in this organization.`, { headers: FINAL })

/** 409 that sending the request again won't mend. */
export const conflict = (detail: string) => new ApiError('conflict', detail, { headers: FINAL })

/** 409 while the same request is running: sending it again later succeeds. */
export const inProgress = (detail: string) =>
  new ApiError('conflict', detail, { headers: { 'x-should-retry': 'true', 'retry-after': '1' } })

/** 422 with every issue. */
export function invalid(...faults: ValidationIssue[]): ApiError {
  const detail = faults.map((fault) => `${fault.field || fault.in}: ${fault.message}`).join('; ')
  return new ApiError('invalid', `${detail}.`, { faults })
}

/** An issue of the body at `field`. */
export const inBody = (field: string, message: string): ValidationIssue => ({ in: 'body', field, message })

/** The issues of a 422. Throws any other error. */
export function faultsOf(error: unknown): ValidationIssue[] {
  if (error instanceof ApiError && error.faults) return error.faults
  throw error
}

/** The results of checks, in their order. 422 with the issues of all that fail so; any other error at once. */
export function checkAll<T extends readonly unknown[]>(...checks: { [K in keyof T]: () => T[K] }): T {
  const faults: ValidationIssue[] = []
  const results = checks.map((check) => {
    try {
      return check()
    } catch (error) {
      faults.push(...faultsOf(error))
      return undefined
    }
  })
  if (faults.length > 0) throw invalid(...faults)
  return results as unknown as T
}

/** A check, for `checkAll`, of what has been waited for: it returns or throws what the promise came to. */
export const settled = <T>(promise: Promise<T>): Promise<() => T> =>
  promise.then(
    (value) => () => value,
    (error) => () => {
      throw error
    },
  )
