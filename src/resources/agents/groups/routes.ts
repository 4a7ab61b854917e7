import { Type } from 'typebox'
import type { App } from '../../../http/server.ts'
import { Ref } from '../../../lib/wire.ts'
import { Group, ListGroups } from '../../groups/schema.ts'
import { AgentParams } from '../schema.ts'
import { listGroupsOfAgent } from './groups.ts'

/** The groups of an agent, under `/v1/agents`. */
export async function agentGroupRoutes(app: App) {
  app.get(
    '/:agent_id/groups',
    {
      schema: {
        operationId: 'list_groups_of_agent',
        summary: 'List the groups an agent is a member of, newest first',
        tags: ['agents'],
        params: AgentParams,
        querystring: ListGroups,
        response: { 200: Type.Array(Ref(Group)) },
      },
    },
    ({ scope, params, query }) => listGroupsOfAgent(scope, params.agent_id, query),
  )
}
