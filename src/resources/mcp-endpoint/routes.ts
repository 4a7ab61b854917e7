import { Readable } from 'node:stream'
import type { FastifyRequest, InjectOptions } from 'fastify'
import type { App } from '../../http/server.ts'
import { ApiError } from '../../lib/errors.ts'
import { type OpenApiDocument, type Operation, operationsOfTools } from './operations.ts'
import type { Send } from './server.ts'

/** Headers that say who calls, for the requests to the API that a call of a tool becomes. */
const CALLER = ['authorization', 'x-api-key', 'x-request-id', 'x-forwarded-for'] as const

const callerOf = ({ headers }: FastifyRequest) =>
  Object.fromEntries(CALLER.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]])))

/** Sends requests to the API of this server with the key of a request: its scopes and limits hold for each call. */
const senderFor =
  (app: App, request: FastifyRequest): Send =>
  async ({ method, url, body }) => {
    const options: InjectOptions = {
      method: method as 'GET',
      url,
      headers: callerOf(request),
      remoteAddress: request.ip,
      ...(body && { payload: body }),
    }
    const { statusCode, payload } = await app.inject(options)
    return { status: statusCode, text: payload }
  }

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]']

/**
 * 403 for a web page whose origin the settings don't name, unless this machine serves the page. The name of a page's own server may
 * lead here (DNS rebinding), so the host of the request is no proof.
 */
function checkOrigin({ headers: { origin } }: FastifyRequest, allowed: readonly string[]): void {
  if (origin === undefined || allowed.includes('*') || allowed.includes(origin)) return
  if (URL.canParse(origin) && LOOPBACK.includes(new URL(origin).hostname)) return
  throw new ApiError(
    'forbidden',
    `Web pages of ${origin} may not call this server: CAIRN_CORS_ORIGINS doesn't name it.`,
  )
}

/** The request without its body, which is parsed already. */
const webRequest = (request: FastifyRequest) =>
  new Request(`http://localhost${request.url}`, {
    method: request.method,
    headers: Object.entries(request.headers).flatMap(([name, value]) =>
      value === undefined || name === 'content-length' ? [] : [[name, String(value)] as [string, string]],
    ),
  })

/**
 * `/mcp`: this server as an MCP server, of the revisions 2025-11-25 and before (without sessions) and 2026-07-28. Its tools are
 * operations of the API, under the key and the scopes of the caller.
 */
export const mcpEndpointRoutes = (version: string, origins: readonly string[]) => async (app: App) => {
  let operations: ReadonlyMap<string, Operation> | undefined
  app.route({
    method: ['GET', 'POST', 'DELETE'],
    url: '/',
    schema: { hide: true },
    // Each call of a tool is a request to the API, which checks the scope of its operation.
    config: { anyKey: true },
    async handler(request, reply) {
      checkOrigin(request, origins)
      // The cast holds: the document has a path for every route, and every route is an operation with an id.
      operations ??= operationsOfTools(app.swagger() as unknown as OpenApiDocument)
      // Most servers never get such a request: the library is loaded with the first one.
      const { respond } = await import('./server.ts')
      const response = await respond(webRequest(request), request.body, {
        version,
        operations,
        send: senderFor(app, request),
      })
      reply.code(response.status)
      for (const [name, value] of response.headers) reply.header(name, value)
      if (!response.body) return reply.send()
      const isStream = response.headers.get('content-type')?.startsWith('text/event-stream')
      return reply.send(isStream ? Readable.fromWeb(response.body) : await response.text())
    },
  })
}
