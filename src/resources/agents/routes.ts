import { Type } from 'typebox'
import type { Config } from '../../config.ts'
import { operationsOf } from '../../http/operation.ts'
import type { App } from '../../http/server.ts'
import { Message, Ref } from '../../lib/wire.ts'
import { countAgents, listAgents, retrieveAgent } from './agents.ts'
import { CreateAgent, UpdateAgent } from './body.ts'
import { createAgent } from './create.ts'
import { modifyAgent } from './modify.ts'
import { CountAgents, ListAgents, RetrieveAgent } from './query.ts'
import { deleteAgent } from './remove.ts'
import { Agent, AgentParams } from './schema.ts'
import { searchAgents } from './search.ts'
import { FoundAgents, SearchAgents } from './search-schema.ts'

const params = AgentParams
const one = { 200: Ref(Agent) }

/** A client-side token may change these fields of an agent: they affect the agent alone, and cost nothing. */
const CLIENT_WRITABLE = ['name', 'description', 'system', 'metadata', 'timezone']

const operations = operationsOf('agents', {
  list_agents: ['List agents, newest first', { querystring: ListAgents, response: { 200: Type.Array(Ref(Agent)) } }],
  count_agents: ['Count agents', { querystring: CountAgents, response: { 200: Type.Integer() } }],
  create_agent: ['Create an agent', { body: CreateAgent, response: one }, { namesModels: 'stored' }],
  search_agents: [
    'Search agents by name, tags, identity, template or version, newest first',
    { body: SearchAgents, response: { 200: FoundAgents } },
    { right: 'read' },
  ],
  retrieve_agent: [
    'Retrieve an agent',
    { params, querystring: RetrieveAgent, response: one },
    { clientAccess: { right: 'read_agent' } },
  ],
  modify_agent: [
    'Modify an agent',
    { params, body: UpdateAgent, response: one },
    { namesModels: 'stored', clientAccess: { right: 'write_agent', fields: CLIENT_WRITABLE } },
  ],
  delete_agent: ['Delete an agent', { params, response: { 200: Message } }],
})

/** `/v1/agents`. Agents made without a model get `defaultModel`. */
export const agentRoutes =
  ({ defaultModel }: Pick<Config, 'defaultModel'>) =>
  async (app: App) => {
    app.get('/', operations.list_agents, ({ scope, query }) => listAgents(scope, query))
    app.get('/count', operations.count_agents, ({ scope, query }) => countAgents(scope, query))
    app.post('/', operations.create_agent, ({ scope, body }) => createAgent(scope, body, defaultModel))
    app.post('/search', operations.search_agents, ({ scope, body }) => searchAgents(scope, body))

    app.get('/:agent_id', operations.retrieve_agent, ({ scope, params, query }) =>
      retrieveAgent(scope, params.agent_id, query),
    )

    app.patch('/:agent_id', operations.modify_agent, ({ scope, params, body }) =>
      modifyAgent(scope, params.agent_id, body, defaultModel),
    )

    app.delete('/:agent_id', operations.delete_agent, async ({ scope, params }) => {
      await deleteAgent(scope, params.agent_id)
      return { message: `Agent id=${params.agent_id} successfully deleted` }
    })
  }
