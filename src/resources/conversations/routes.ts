import { Type } from 'typebox'
import { operationsOf } from '../../http/operation.ts'
import type { App } from '../../http/server.ts'
import { Ref } from '../../lib/wire.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { createConversation, listConversations, modifyConversation } from './conversations.ts'
import { forkThread } from './fork.ts'
import { deleteConversation } from './remove.ts'
import {
  Conversation,
  ConversationAgent,
  ConversationParams,
  CreateConversation,
  conversations,
  ForkConversation,
  ListConversations,
  ThreadParams,
  UpdateConversation,
} from './schema.ts'
import { targetOf } from './target.ts'

const params = ConversationParams
const one = { 200: Ref(Conversation) }
const config = { namesModels: 'refused' } as const

const operations = operationsOf('conversations', {
  list_conversations: [
    'List conversations, newest first',
    { querystring: ListConversations, response: { 200: Type.Array(Ref(Conversation)) } },
  ],
  create_conversation: [
    'Create a conversation with an agent',
    { querystring: ConversationAgent, body: CreateConversation, response: one },
    config,
  ],
  retrieve_conversation: ['Retrieve a conversation', { params, response: one }],
  update_conversation: ['Modify a conversation', { params, body: UpdateConversation, response: one }, config],
  delete_conversation: [
    'Delete a conversation with its messages and its blocks',
    { params, response: { 200: Type.Null() } },
  ],
  fork_conversation: [
    'Make a conversation that begins with the messages of another, or with some of them',
    { params: ThreadParams, querystring: ForkConversation, response: one },
  ],
})

/** `/v1/conversations` */
export const conversationRoutes = (runtime: Runtime) => async (app: App) => {
  app.get('/', operations.list_conversations, ({ scope, query }) => listConversations(scope, query))

  app.post('/', operations.create_conversation, ({ scope, query, body }) =>
    createConversation(scope, query.agent_id, body),
  )

  app.get('/:conversation_id', operations.retrieve_conversation, ({ scope, params }) =>
    scope.retrieve(conversations, params.conversation_id),
  )

  app.patch('/:conversation_id', operations.update_conversation, ({ scope, params, body }) =>
    modifyConversation(scope, params.conversation_id, body),
  )

  app.delete('/:conversation_id', operations.delete_conversation, async ({ scope, params }) => {
    for (const run of await deleteConversation(scope, params.conversation_id)) runtime.cancel(run)
    return null
  })

  app.post('/:conversation_id/fork', operations.fork_conversation, async ({ scope, params, query }) => {
    const target = await targetOf(scope, params.conversation_id, { in: 'query', id: query.agent_id })
    return forkThread(scope, target, query.message_id)
  })
}
