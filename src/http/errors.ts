import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest, FastifySchemaValidationError } from 'fastify'
import { answerFor } from '../db/faults.ts'
import { ApiError, type Fault, invalid, problem } from '../lib/errors.ts'
import { faultsOf } from './faults.ts'

/** Every fault of a request, wherever it is: the framework stops at the first part that has one. */
function faultsIn(request: FastifyRequest): Fault[] {
  return (['params', 'querystring', 'body'] as const).flatMap((part) => {
    const value = part === 'querystring' ? request.query : request[part]
    const checked = request.getValidationFunction(part)?.(value ?? null) as { error?: FastifyError } | undefined
    return faultsOf((checked?.error?.validation ?? []) as FastifySchemaValidationError[], part)
  })
}

/** The framework's own errors, in this API's words. */
function fromFramework(error: FastifyError, request: FastifyRequest): ApiError | undefined {
  if (error.validation) return invalid(...faultsIn(request))
  switch (error.code) {
    case 'FST_ERR_CTP_INVALID_JSON_BODY':
      return new ApiError('malformed_json', 'The body is not valid JSON.')
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new ApiError('unsupported_media_type', 'Send the body as application/json.')
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new ApiError('payload_too_large', `The body is larger than ${request.routeOptions.bodyLimit} bytes.`)
  }
  if (error.statusCode && error.statusCode >= 400 && error.statusCode < 500) {
    return new ApiError('bad_request', 'The request could not be read.', { cause: error })
  }
  return undefined
}

/** Answers with an error: the one place where error bodies are written. */
function send(reply: FastifyReply, error: ApiError, requestId: string) {
  return reply
    .code(error.status)
    .headers(error.headers)
    .header('content-type', 'application/problem+json')
    .serializer(JSON.stringify)
    .send(problem(error, requestId))
}

/** Answers a request whose path can't be read: the framework shows it to no hook and no error handler. */
export const refusePath = (_: FastifyError, request: FastifyRequest, reply: FastifyReply) =>
  send(
    reply.header('x-request-id', request.id),
    new ApiError('bad_request', 'The path cannot be read: it is badly percent-encoded, or a part of it is too long.'),
    request.id,
  )

/** Every error leaves through here; one that isn't an answer is a bug: logged with its cause, and nothing of it told. */
export function addErrors(app: FastifyInstance): void {
  app.setErrorHandler((error: FastifyError, request: FastifyRequest, reply) => {
    const answer = answerFor(error)
    const known = answer instanceof ApiError ? answer : fromFramework(error, request)
    if (known && known.code !== 'unavailable') return send(reply, known, request.id)
    request.log.error({ err: error, cause: known?.cause }, 'request failed')
    return send(
      reply,
      known ?? new ApiError('internal', 'Something went wrong here. Quote the request id when you report it.'),
      request.id,
    )
  })
  app.setNotFoundHandler((request, reply) =>
    send(
      reply,
      new ApiError('not_found', `There is nothing at ${request.url.split('?')[0]}.`, {
        headers: { 'x-should-retry': 'false' },
      }),
      request.id,
    ),
  )
}

/** Answers 405 with `Allow` for every path that is there under other methods. Register it after all routes. */
export function addMethodNotAllowed(app: FastifyInstance, routes: Map<string, Set<string>>): void {
  const all = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
  for (const [url, methods] of [...routes]) {
    const allow = [...methods].sort().join(', ')
    const others = all.filter((method) => !methods.has(method))
    app.route({
      method: others,
      url,
      schema: { hide: true },
      handler: async (request, reply) => {
        return send(
          reply,
          new ApiError('method_not_allowed', `${request.method} is not allowed here; use ${allow}.`, {
            headers: { allow },
          }),
          request.id,
        )
      },
    })
  }
}
