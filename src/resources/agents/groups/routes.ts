import { Type } from 'typebox'
import { operationsOf } from '../../../http/operation.ts'
import type { App } from '../../../http/server.ts'
import { Ref } from '../../../lib/wire.ts'
import { Group, ListGroups } from '../../groups/schema.ts'
import { AgentParams } from '../schema.ts'
import { listGroupsOfAgent } from './groups.ts'

const operations = operationsOf('agents', {
  list_groups_of_agent: [
    'List the groups an agent is a member of, newest first',
    { params: AgentParams, querystring: ListGroups, response: { 200: Type.Array(Ref(Group)) } },
  ],
})

/** The groups of an agent, under `/v1/agents`. */
export async function agentGroupRoutes(app: App) {
  app.get('/:agent_id/groups', operations.list_groups_of_agent, ({ scope, params, query }) =>
    listGroupsOfAgent(scope, params.agent_id, query),
  )
}
