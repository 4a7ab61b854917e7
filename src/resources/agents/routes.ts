import { Type } from 'typebox'
import type { Config } from '../../config.ts'
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

const tags = ['agents']
const params = AgentParams
const one = { 200: Ref(Agent) }

/** A client-side token may change these fields of an agent: they affect the agent alone, and cost nothing. */
const CLIENT_WRITABLE = ['name', 'description', 'system', 'metadata', 'timezone']

const list = {
  schema: {
    operationId: 'list_agents',
    summary: 'List agents, newest first',
    tags,
    querystring: ListAgents,
    response: { 200: Type.Array(Ref(Agent)) },
  },
} as const

const count = {
  schema: {
    operationId: 'count_agents',
    summary: 'Count agents',
    tags,
    querystring: CountAgents,
    response: { 200: Type.Integer() },
  },
} as const

const create = {
  schema: { operationId: 'create_agent', summary: 'Create an agent', tags, body: CreateAgent, response: one },
} as const

const search = {
  config: { right: 'read' },
  schema: {
    operationId: 'search_agents',
    summary: 'Search agents by name, tags, identity, template or version, newest first',
    tags,
    body: SearchAgents,
    response: { 200: FoundAgents },
  },
} as const

const retrieve = {
  config: { clientAccess: { right: 'read_agent' } },
  schema: {
    operationId: 'retrieve_agent',
    summary: 'Retrieve an agent',
    tags,
    params,
    querystring: RetrieveAgent,
    response: one,
  },
} as const

const modify = {
  config: { clientAccess: { right: 'write_agent', fields: CLIENT_WRITABLE } },
  schema: {
    operationId: 'modify_agent',
    summary: 'Modify an agent',
    tags,
    params,
    body: UpdateAgent,
    response: one,
  },
} as const

const remove = {
  schema: {
    operationId: 'delete_agent',
    summary: 'Delete an agent',
    tags,
    params,
    response: { 200: Message },
  },
} as const

/** `/v1/agents`. Agents made without a model get `defaultModel`. */
export const agentRoutes =
  ({ defaultModel }: Pick<Config, 'defaultModel'>) =>
  async (app: App) => {
    app.get('/', list, ({ scope, query }) => listAgents(scope, query))

    app.get('/count', count, ({ scope, query }) => countAgents(scope, query))

    app.post('/', create, ({ scope, body }) => createAgent(scope, body, defaultModel))

    app.post('/search', search, ({ scope, body }) => searchAgents(scope, body))

    app.get('/:agent_id', retrieve, ({ scope, params, query }) => retrieveAgent(scope, params.agent_id, query))

    app.patch('/:agent_id', modify, ({ scope, params, body }) =>
      modifyAgent(scope, params.agent_id, body, defaultModel),
    )

    app.delete('/:agent_id', remove, async ({ scope, params }) => {
      await deleteAgent(scope, params.agent_id)
      return { message: `Agent id=${params.agent_id} successfully deleted` }
    })
  }
