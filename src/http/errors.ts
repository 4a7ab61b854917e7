import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest, FastifySchemaValidationError } from 'fastify'
import { toApiError } from '../db/pg-errors.ts'
import { ApiError, invalid, problem, type ValidationIssue } from '../lib/errors.ts'
import { prefixOf } from './letta.ts'
import { errorTranslator } from './letta-errors.ts'
import { hasLeft } from './request-log.ts'
import { validationIssues } from './validation-messages.ts'

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

/** Responds with an error: the only place that writes error bodies. */
function send(reply: FastifyReply, error: ApiError, requestId: string) {
  return reply
    .code(error.status)
    .headers(error.headers)
    .header('content-type', 'application/problem+json')
    .serializer(JSON.stringify)
    .send(problem(error, requestId))
}

/** Responds to a request with an unreadable path, for which the framework runs no hook and no error handler. */
export const refusePath = (_: FastifyError, request: FastifyRequest, reply: FastifyReply) =>
  send(
    reply.header('x-request-id', request.id),
    new ApiError('bad_request', 'The path cannot be read: it is badly percent-encoded, or a part of it is too long.'),
    request.id,
  )

/**
 * Responds to every error. An error that is no ApiError is a bug: the log gets the error, the caller a 500 without details.
 */
export function addErrors(app: FastifyInstance): void {
  app.setErrorHandler((error: FastifyError, request: FastifyRequest, reply) => {
    const mapped = toApiError(error)
    const known = mapped instanceof ApiError ? mapped : fromFramework(error, request)
    // A connection or a statement may have ended because the caller has left.
    if (known && (known.code !== 'unavailable' || hasLeft(reply))) return send(reply, known, request.id)
    request.log.error({ err: withoutValues(known?.cause ?? error) }, 'request failed')
    return send(
      reply,
      known ?? new ApiError('internal', 'Something went wrong here. Quote the request id when you report it.'),
      request.id,
    )
  })
  app.setNotFoundHandler((request, reply) =>
    send(
      reply,
      new ApiError('not_found', `There is nothing at ${prefixOf(request)}${request.url.split('?')[0]}.`, {
        headers: { 'x-should-retry': 'false' },
      }),
      request.id,
    ),
  )
}
