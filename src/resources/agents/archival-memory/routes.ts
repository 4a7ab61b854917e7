import { Type } from 'typebox'
import { operationOf, operationsOf } from '../../../http/operation.ts'
import { prepared } from '../../../http/prepared.ts'
import type { App } from '../../../http/server.ts'
import { callerGone } from '../../../http/sse.ts'
import type { KeyedSemaphore } from '../../../lib/keyed-semaphore.ts'
import { Id, Message, Params, Ref } from '../../../lib/wire.ts'
import type { Embedders } from '../../models/embedding.ts'
import { CreateMemory } from '../../passages/body.ts'
import { withEmbeddings } from '../../passages/passages.ts'
import { preparePassages } from '../../passages/prepare.ts'
import { prepareMemorySearch, type SearchDeps } from '../../passages/prepare-search.ts'
import { IncludeVectors, ListMemories } from '../../passages/query.ts'
import { Passage } from '../../passages/schema.ts'
import { searchArchivalMemory } from '../../passages/search.ts'
import { FoundMemories, SearchArchivalMemory } from '../../passages/search-schema.ts'
import { AgentParams } from '../schema.ts'
import { addMemories, deleteMemory, embedMemories, listMemories } from './archival-memory.ts'

const params = AgentParams
const MemoryParams = Params({ agent_id: Id('agent'), memory_id: Id('passage') })
const config = { callsUpstream: true }
const many = { 200: Type.Array(Ref(Passage)) }

const operations = operationsOf('archival memory', {
  list_passages_of_agent: [
    "List the passages of an agent's archive, oldest first",
    { params, querystring: ListMemories, response: many },
  ],
  create_passage_of_agent: [
    "Put a passage into an agent's archive, which is made where there is none",
    { params, querystring: IncludeVectors, body: CreateMemory, response: many },
    config,
  ],
  delete_passage_of_agent: [
    "Delete a passage of an agent's archive",
    { params: MemoryParams, response: { 200: Message } },
  ],
})

/** `/v1/agents/{agent_id}/archival-memory`: the passages of the agent's archive. */
export const archivalMemoryRoutes = (embedders: Embedders) => async (app: App) => {
  app.get('/:agent_id/archival-memory', operations.list_passages_of_agent, ({ scope, params, query }, reply) =>
    listMemories(scope, params.agent_id, query, callerGone(reply)),
  )

  app.post(
    '/:agent_id/archival-memory',
    prepared({
      ...operations.create_passage_of_agent,
      prepare: ({ scope, params, body }) =>
        preparePassages(
          [body],
          () => 'created_at',
          (texts) => embedMemories(scope, embedders, params.agent_id, texts),
        ),
      handle: async ({ scope, params, query }, passages) =>
        withEmbeddings(scope, await addMemories(scope, params.agent_id, passages), query),
    }),
  )

  app.delete('/:agent_id/archival-memory/:memory_id', operations.delete_passage_of_agent, async ({ scope, params }) => {
    await deleteMemory(scope, params.agent_id, params.memory_id)
    return { message: `Memory id=${params.memory_id} successfully deleted` }
  })
}

/** `/v1/agents/{agent_id}/archival-memory/search` */
export const archivalMemorySearchRoutes = (deps: SearchDeps & { searchTurns: KeyedSemaphore }) => async (app: App) => {
  const schema = { params, querystring: SearchArchivalMemory, response: { 200: FoundMemories } }
  const summary = "Search the passages of an agent's archive, the best first"
  app.get(
    '/:agent_id/archival-memory/search',
    prepared({
      ...operationOf('passages', 'search_archival_memory', summary, schema, config),
      prepare: ({ scope, params, query }) => prepareMemorySearch(scope, deps, params.agent_id, query),
      handle: ({ scope }, search, reply) =>
        deps.searchTurns(scope.organizationId, () => searchArchivalMemory(scope, search, callerGone(reply))),
    }),
  )
}
