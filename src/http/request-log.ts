import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

/** Whether the caller of a request has closed the connection before the end of the response. */
export const hasLeft = ({ raw }: Pick<FastifyReply, 'raw'>): boolean => raw.closed && !raw.writableFinished

/** Logs one line for each request: at its response, or when its caller leaves. */
export function addRequestLog(app: FastifyInstance): void {
  const log = (request: FastifyRequest, reply: FastifyReply, ip: string, status: number | undefined, message: string) =>
    request.log.info(
      {
        organization: request.organizationId,
        ip,
        method: request.method,
        route: request.routeOptions.url,
        status,
        duration_ms: Math.round(reply.elapsedTime * 10) / 10,
      },
      message,
    )
  app.addHook('onRequest', (request, reply, done) => {
    // A closed connection has no address.
    const { ip } = request
    reply.raw.once('close', () => {
      if (hasLeft(reply)) log(request, reply, ip, undefined, 'the caller left')
    })
    done()
  })
  app.addHook('onResponse', (request, reply, done) => {
    log(request, reply, request.ip, reply.statusCode, 'request')
    done()
  })
}
