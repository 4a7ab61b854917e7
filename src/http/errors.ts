import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest, FastifySchemaValidationError } from 'fastify'
import { toApiError } from '../db/pg-errors.ts'
import { ApiError, invalid, problem, type ValidationIssue } from '../lib/errors.ts'
import { FIELDS, VALUES } from '../lib/vendor-names.ts'
import { isLetta, prefixOf } from './letta.ts'
import { hasLeft } from './request-log.ts'
import type { Invalid } from './union-errors.ts'
import { validationIssues } from './validation-messages.ts'

/** A validation error in the vendor's names: the fields of its schema, and the allowed values. */
function toVendorError(error: Invalid): Invalid {
  const { instancePath, schemaPath, params } = error
  const nameOf = (part: string) => (schemaPath.includes(`/properties/${part}/`) ? (FIELDS[part] ?? part) : part)
  const { allowedValues } = params as { allowedValues?: unknown[] }
  const allowed = (value: unknown) => VALUES[String(value)] ?? value
  return {
    ...error,
    instancePath: instancePath.split('/').map(nameOf).join('/'),
    params: { ...params, ...(allowedValues && { allowedValues: allowedValues.map(allowed) }) },
  }
}

/** Gives a validation error the names of a request's surface; undefined where its names are neutral. */
const errorTranslator = (request: FastifyRequest) => (isLetta(request) ? toVendorError : undefined)

/** Every validation issue of a request: the framework stops at the first invalid part. */
function issuesIn(request: FastifyRequest): ValidationIssue[] {
  return (['params', 'querystring', 'headers', 'body'] as const).flatMap((part) => {
    const value = part === 'querystring' ? request.query : request[part]
    const checked = request.getValidationFunction(part)?.(value ?? null) as { error?: FastifyError } | undefined
    return validationIssues(
      (checked?.error?.validation ?? []) as FastifySchemaValidationError[],
      part,
      errorTranslator(request),
    )
  })
}

/** The response to an error of the framework; undefined for any other error. */
function fromFramework(error: FastifyError, request: FastifyRequest): ApiError | undefined {
  if (error.validation) return invalid(...issuesIn(request))
  switch (error.code) {
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new ApiError(
        'unsupported_media_type',
        `Send the body as ${request.routeOptions.schema?.consumes?.[0] ?? 'application/json'}.`,
      )
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new ApiError('payload_too_large', `The body is larger than ${request.routeOptions.bodyLimit} bytes.`)
  }
  if (error.statusCode && error.statusCode >= 400 && error.statusCode < 500) {
    return new ApiError('bad_request', 'The request could not be read.', { cause: error })
  }
  return undefined
}

/** An error for the log, without the database's detail, which holds values of the failed row. */
const withoutValues = (error: unknown) =>
  error instanceof Error
    ? { ...error, type: error.name, message: error.message, stack: error.stack, detail: undefined }
    : error

/** An error with the code that it has on the surface of a request. */
const onSurface = (request: FastifyRequest, error: ApiError | undefined) =>
  error?.lettaCode && isLetta(request)
    ? new ApiError(error.lettaCode, error.message, {
        headers: error.headers,
        ...(error.vendorFields && { vendorFields: error.vendorFields }),
      })
    : error

/** The error as clients of OpenAI read it. */
const forOpenAi = ({ message, code, issues, fields }: ApiError) => ({
  error: { type: code, ...(fields as { error?: object })?.error, message, code, param: issues?.[0]?.field ?? null },
})

/** Responds with an error: the only place that writes error bodies. */
function send(reply: FastifyReply, error: ApiError, request: FastifyRequest) {
  return reply
    .code(error.status)
    .headers(error.headers)
    .header('content-type', 'application/problem+json')
    .serializer(JSON.stringify)
    .send({
      ...problem(error, request.id),
      ...(request.routeOptions.config.openAiErrors && forOpenAi(error)),
      ...(isLetta(request) && error.vendorFields),
    })
}

/** 404 for a path without a route. */
const nothingAt = (request: FastifyRequest) =>
  new ApiError('not_found', `There is nothing at ${prefixOf(request)}${request.url.split('?')[0]}.`, {
    headers: { 'x-should-retry': 'false' },
  })

/** Responds to a request with an unreadable path, for which the framework runs no hook and no error handler. */
export const refusePath = (_: FastifyError, request: FastifyRequest, reply: FastifyReply) =>
  send(
    reply.header('x-request-id', request.id),
    new ApiError('bad_request', 'The path cannot be read: it is badly percent-encoded, or a part of it is too long.'),
    request,
  )

/**
 * Responds to every error. An error that is no ApiError is a bug: the log gets the error, the caller a 500 without details.
 */
export function addErrors(app: FastifyInstance): void {
  app.setErrorHandler((error: FastifyError, request: FastifyRequest, reply) => {
    const mapped = toApiError(error)
    const known = onSurface(request, mapped instanceof ApiError ? mapped : fromFramework(error, request))
    // A connection or a statement may have ended because the caller has left.
    if (known && (known.code !== 'unavailable' || hasLeft(reply))) return send(reply, known, request)
    const cause = known?.cause ?? error
    request.log.error({ err: withoutValues(cause) }, 'request failed')
    request.failure = cause instanceof Error ? cause.message : String(cause)
    return send(
      reply,
      known ?? new ApiError('internal', 'Something went wrong here. Quote the request id when you report it.'),
      request,
    )
  })
  app.setNotFoundHandler((request, reply) => send(reply, nothingAt(request), request))
  // Before the body is read: its media type doesn't matter.
  app.addHook('preParsing', (request, _reply, _payload, done) => done(request.is404 ? nothingAt(request) : null))
}

/** Errors of requests that aren't valid HTTP, by the parser's code. */
const UNREADABLE: Record<string, ApiError> = {
  HPE_HEADER_OVERFLOW: new ApiError('headers_too_large', 'The request line and headers are too large.'),
  HPE_CHUNK_EXTENSIONS_OVERFLOW: new ApiError('payload_too_large', 'The extensions of the chunks are too large.'),
  ERR_HTTP_REQUEST_TIMEOUT: new ApiError('request_timeout', 'The request took too long to arrive.'),
}

/** Responds to a connection that sends invalid HTTP, and closes it: there is no request to respond to yet. */
export function handleClientError(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const id = randomUUID()
  const response = UNREADABLE[error.code ?? ''] ?? new ApiError('bad_request', 'The request is not valid HTTP.')
  const body = JSON.stringify(problem(response, id))
  socket.write(
    `HTTP/1.1 ${response.status} ${STATUS_CODES[response.status]}\r\nContent-Type: application/problem+json\r\n` +
      `X-Request-Id: ${id}\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  )
  // After end(), the socket would stay open until the caller closes its half.
  socket.destroySoon()
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Errors have the field `error` besides, which clients of OpenAI read. */
    openAiErrors?: boolean
  }
}
