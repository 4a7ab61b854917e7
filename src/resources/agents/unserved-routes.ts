import type { FastifyReply, FastifyRequest } from 'fastify'
import { isLetta } from '../../http/letta.ts'
import type { App } from '../../http/server.ts'

/** Lists of resources that the server doesn't have yet. A list leaves when its resource comes. */
const LISTS = ['/mcp-servers']

const refuseNeutral = async (request: FastifyRequest, reply: FastifyReply) =>
  isLetta(request) ? undefined : reply.callNotFound()

/**
 * Empty lists under `/letta`: a 404 would end programs that read such a list by the way. Without `/letta` there is nothing at
 * these paths.
 */
export async function unservedRoutes(app: App) {
  for (const url of LISTS) {
    const options = { schema: { hide: true }, config: { onlyThisMethod: true }, onRequest: refuseNeutral }
    app.get(url, options, async () => [])
  }
}
