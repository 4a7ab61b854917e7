/** Every error response of this server, by its code: HTTP status and title. */
const ERRORS = {
  malformed_json: [400, 'Malformed JSON'],
  bad_request: [400, 'Bad request'],
  payment_required: [402, 'Payment required'],
  unauthorized: [401, 'Unauthorized'],
  forbidden: [403, 'Forbidden'],
  not_found: [404, 'Not found'],
  method_not_allowed: [405, 'Method not allowed'],
  request_timeout: [408, 'Request timeout'],
  conflict: [409, 'Conflict'],
  gone: [410, 'Gone'],
  precondition_failed: [412, 'Precondition failed'],
  payload_too_large: [413, 'Payload too large'],
  unsupported_media_type: [415, 'Unsupported media type'],
  invalid: [422, 'Invalid request'],
  too_many_requests: [429, 'Too many requests'],
  headers_too_large: [431, 'Request header fields too large'],
  internal: [500, 'Internal error'],
  model_failed: [500, 'The model failed'],
  bad_gateway: [502, 'Bad gateway'],
  unavailable: [503, 'Service unavailable'],
  model_overloaded: [503, 'The model is overloaded'],
  gateway_timeout: [504, 'Gateway timeout'],
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
  readonly issues: ValidationIssue[] | undefined
  /** The code on the surface for Letta clients, where it is another. */
  readonly lettaCode: ErrorCode | undefined
  /** Fields of the response besides those of every error (RFC 9457 §3.2), and those of the vendor's surface. */
  readonly fields: object | undefined
  readonly vendorFields: object | undefined

  constructor(
    code: ErrorCode,
    detail: string,
    options: {
      headers?: Record<string, string>
      issues?: ValidationIssue[]
      lettaCode?: ErrorCode
      fields?: object
      vendorFields?: object
      cause?: unknown
    } = {},
  ) {
    super(detail, { cause: options.cause })
    this.code = code
    this.headers = options.headers ?? {}
    this.issues = options.issues
    this.lettaCode = options.lettaCode
    this.fields = options.fields
    this.vendorFields = options.vendorFields
  }

  get status(): number {
    return ERRORS[this.code][0]
  }
}

/** The body of an error response: problem details (RFC 9457), one shape for every error. */
export function problem(error: ApiError, requestId: string) {
  return {
    type: `/errors/${error.code.replaceAll('_', '-')}`,
    title: ERRORS[error.code][1],
    status: error.status,
    code: error.code,
    detail: error.message,
    message: error.message,
    request_id: requestId,
    ...(error.issues && { errors: error.issues }),
    ...error.fields,
  }
}

/** Clients of this API retry a 409 unless this header forbids it. */
const FINAL = { 'x-should-retry': 'false' }

/** 404. A missing resource and another organization's resource get equal responses, but for the id. */
export const notFound = (noun: string, id: string) =>
  new ApiError('not_found', `No ${noun} with id ${id} in this organization.`, { headers: FINAL })

/** 409 that a retry won't mend. */
export const conflict = (detail: string) => new ApiError('conflict', detail, { headers: FINAL })

/** 409 while an equal request is running: a later retry succeeds. */
export const inProgress = (detail: string) =>
  new ApiError('conflict', detail, { headers: { 'x-should-retry': 'true', 'retry-after': '1' } })

/** The most issues that one response lists. */
export const MAX_ISSUES = 100

/** The longest field of an issue, in characters: the caller chooses the names of unknown fields. */
const MAX_FIELD_LENGTH = 500

const shortened = (field: string) =>
  field.length > MAX_FIELD_LENGTH ? `${field.slice(0, MAX_FIELD_LENGTH).toWellFormed()}…` : field

/** 422 with the issues, the first 100 of them at most. */
export function invalid(...all: ValidationIssue[]): ApiError {
  const issues = all.slice(0, MAX_ISSUES).map((issue) => ({ ...issue, field: shortened(issue.field) }))
  const detail = issues.map((issue) => `${issue.field || issue.in}: ${issue.message}`).join('; ')
  const more = all.length > MAX_ISSUES ? `; and more than these ${MAX_ISSUES}` : ''
  return new ApiError('invalid', `${detail}${more}.`, { issues })
}

/** A 422 that Letta clients know as a 400. */
export const invalidOr400 = (...issues: ValidationIssue[]) =>
  new ApiError('invalid', invalid(...issues).message, { issues, lettaCode: 'bad_request' })

/** An issue of the body at `field`. */
export const inBody = (field: string, message: string): ValidationIssue => ({ in: 'body', field, message })

/** The issues of a 422. Throws any other error. */
export function issuesOf(error: unknown): ValidationIssue[] {
  if (error instanceof ApiError && error.issues) return error.issues
  throw error
}

/** The results of checks, in their order. 422 with the issues of every check that throws a 422; any other error at once. */
export function checkAll<T extends readonly unknown[]>(...checks: { [K in keyof T]: () => T[K] }): T {
  const issues: ValidationIssue[] = []
  const results = checks.map((check) => {
    try {
      return check()
    } catch (error) {
      issues.push(...issuesOf(error))
      return undefined
    }
  })
  if (issues.length > 0) throw invalid(...issues)
  // It holds: without an issue, each check has returned its value.
  return results as readonly unknown[] as T
}

/** A check for `checkAll` of a promise: it returns the value of the promise, or throws its error. */
export async function settled<T>(promise: Promise<T>): Promise<() => T> {
  try {
    const value = await promise
    return () => value
  } catch (error) {
    return () => {
      throw error
    }
  }
}
