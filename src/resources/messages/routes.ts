import { Type } from 'typebox'
import { operationsOf } from '../../http/operation.ts'
import { prepared } from '../../http/prepared.ts'
import type { App } from '../../http/server.ts'
import { callerGone } from '../../http/sse.ts'
import type { KeyedSemaphore } from '../../lib/keyed-semaphore.ts'
import { Id, Params, Ref } from '../../lib/wire.ts'
import type { SearchDeps } from '../passages/prepare-search.ts'
import { foundMessages, messageHits } from './found.ts'
import { listAllMessages, retrieveMessages } from './messages.ts'
import { prepareMessageSearch } from './prepare-search.ts'
import { FoundMessage, ListAllMessages, Message } from './schema.ts'
import { findMessages } from './search.ts'
import { MessageHit, SearchAllMessages, SearchMessages } from './search-schema.ts'
import type { Role } from './table.ts'

const config = { right: 'read', callsUpstream: true } as const

const operations = operationsOf('messages', {
  list_all_messages: [
    'List the messages of all agents, newest first',
    { querystring: ListAllMessages, response: { 200: Type.Array(Ref(Message)) } },
  ],
  retrieve_message: [
    'Retrieve a message: its text, its reasoning and its calls are messages of their own',
    { params: Params({ message_id: Id('message') }), response: { 200: Type.Array(Ref(Message)) } },
  ],
  search_all_messages: [
    'Search what was said to agents and by agents, the best first',
    { body: SearchAllMessages, response: { 200: Type.Array(FoundMessage) } },
    config,
  ],
  search_messages: [
    'Search messages by words and vectors, with how each was found',
    { body: SearchMessages, response: { 200: Type.Array(MessageHit) } },
    config,
  ],
})

const SAID: readonly Role[] = ['user', 'assistant', 'system']

/** A search in the words of a body. */
const requestOf = ({ query, search_mode, limit, start_date, end_date }: SearchMessages) => ({
  query,
  search_mode,
  limit: limit ?? 50,
  period: { in: 'body', start: ['start_date', start_date], end: ['end_date', end_date] } as const,
  zone: 'UTC' as const,
})

/** `/v1/messages`, and `/v1/agents/messages/search` */
export const messageRoutes = (deps: SearchDeps & { searchTurns: KeyedSemaphore }) => async (app: App) => {
  app.get('/messages', operations.list_all_messages, ({ scope, query }) => listAllMessages(scope, query))

  app.get('/messages/:message_id', operations.retrieve_message, ({ scope, params }) =>
    retrieveMessages(scope, params.message_id),
  )

  app.post(
    '/messages/search',
    prepared({
      ...operations.search_all_messages,
      prepare: ({ scope, body }) => prepareMessageSearch(scope, deps, { ...body, roles: SAID }, requestOf(body)),
      handle: ({ scope }, search, reply) =>
        deps.searchTurns(scope.organizationId, async () =>
          foundMessages(await findMessages(scope, search, callerGone(reply))),
        ),
    }),
  )

  app.post(
    '/agents/messages/search',
    prepared({
      ...operations.search_messages,
      prepare: ({ scope, body }) => prepareMessageSearch(scope, deps, body, requestOf(body)),
      handle: ({ scope }, search, reply) =>
        deps.searchTurns(scope.organizationId, async () =>
          messageHits(await findMessages(scope, search, callerGone(reply)), search),
        ),
    }),
  )
}
