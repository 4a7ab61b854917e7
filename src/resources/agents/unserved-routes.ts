import type { FastifyReply, FastifyRequest } from 'fastify'
import { isLetta } from '../../http/letta.ts'
import type { App } from '../../http/server.ts'
import { Params } from '../../lib/wire.ts'
import { AgentParams } from './schema.ts'

/** Lists of resources that the server doesn't have yet. A list leaves when its resource comes. */
const LISTS = [
  { url: '/conversations', params: Params({}) },
  { url: '/mcp-servers', params: Params({}) },
  { url: '/runs', params: Params({}) },
  { url: '/agents/:agent_id/messages', params: AgentParams },
]

const refuseNeutral = async (request: FastifyRequest, reply: FastifyReply) =>
  isLetta(request) ? undefined : reply.callNotFound()

/**
 * Empty lists under `/letta`: a 404 would end programs that read such a list by the way. Without `/letta` there is nothing at
 * these paths.
 */
export async function unservedRoutes(app: App) {
  for (const { url, params } of LISTS) {
    const options = { schema: { hide: true, params }, config: { onlyThisMethod: true }, onRequest: refuseNeutral }
    app.get(url, options, async ({ scope, params }) => {
      const { agent_id } = params as { agent_id?: string }
      if (agent_id !== undefined) await scope.exists('agents', agent_id)
      return []
    })
  }
}
