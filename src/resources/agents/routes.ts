import { Type } from 'typebox'
import type { Config } from '../../config.ts'
import type { App } from '../../http/server.ts'
import { Ref } from '../../lib/wire.ts'
import { countAgents, getAgent, listAgents } from './agents.ts'
import { CountAgents, ListAgents, RetrieveAgent } from './query.ts'
import { Agent, AgentParams, agents } from './schema.ts'

const tags = ['agents']

/** `/v1/agents` */
export const agentRoutes = (_config: Pick<Config, 'defaultModel'>) => async (app: App) => {
  app.get(
    '/',
    {
      schema: {
        operationId: 'list_agents',
        summary: 'List agents, newest first',
        tags,
        querystring: ListAgents,
        response: { 200: Type.Array(Ref(Agent)) },
      },
    },
    ({ scope, query }) => listAgents(scope, query),
  )

  app.get(
    '/count',
    {
      schema: {
        operationId: 'count_agents',
        summary: 'Count agents',
        tags,
        querystring: CountAgents,
        response: { 200: Type.Integer() },
      },
    },
    ({ scope, query }) => countAgents(scope, query),
  )

  app.get(
    '/:agent_id',
    {
      schema: {
        operationId: 'retrieve_agent',
        summary: 'Retrieve an agent',
        tags,
        params: AgentParams,
        querystring: RetrieveAgent,
        response: { 200: Ref(Agent) },
      },
    },
    ({ scope, params, query }) => getAgent(scope, params.agent_id, query),
  )
  void agents
}
