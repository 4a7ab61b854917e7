import { Type } from 'typebox'
import { operationsOf } from '../../http/operation.ts'
import type { App } from '../../http/server.ts'
import { callerGone } from '../../http/sse.ts'
import { OneOf, Ref } from '../../lib/wire.ts'
import { cancelRuns } from '../../runtime/cancel.ts'
import { findRunOf, resumeRun } from '../../runtime/resume.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { RUN_EVENTS } from '../../runtime/send.ts'
import { CancelRuns, SendToConversation } from '../messages/body.ts'
import { Message } from '../messages/schema.ts'
import { BEGINS_RUN, createSender, events, messagesOrEvents, SendHeaders } from '../messages/send-routes.ts'
import { ResumeHeaders } from '../runs/schema.ts'
import { listThreadMessages } from './messages.ts'
import { ListConversationMessages, ResumeConversation, ThreadAgent, ThreadParams } from './schema.ts'
import { targetOf } from './target.ts'

const params = ThreadParams

const operations = operationsOf('conversations', {
  send_conversation_message: [
    'Send messages to a conversation, and stream the answer or wait for it',
    { params, headers: SendHeaders, body: SendToConversation, response: { 200: messagesOrEvents } },
    BEGINS_RUN,
  ],
  list_conversation_messages: [
    'List the messages of a conversation, newest first',
    { params, querystring: ListConversationMessages, response: { 200: Type.Array(Ref(Message)) } },
  ],
  retrieve_conversation_stream: [
    'Read the events of a run of a conversation again, and those to come',
    { params, headers: ResumeHeaders, body: ResumeConversation, response: { 200: events } },
    { idempotency: 'row', right: 'read', stream: RUN_EVENTS },
  ],
  cancel_conversation: [
    'Cancel the runs of a conversation, and the request for approval that waits',
    {
      params,
      querystring: ThreadAgent,
      body: CancelRuns,
      response: { 200: Type.Record(Type.String(), OneOf(['cancelled', 'failed'])) },
    },
  ],
})

/** `/v1/conversations/{conversation_id}/messages`, and the runs that messages begin. */
export const conversationMessageRoutes = (runtime: Runtime) => async (app: App) => {
  const sender = createSender(runtime)

  app.post('/:conversation_id/messages', operations.send_conversation_message, async (request, reply) => {
    const { agent_id, streaming = true, ...body } = request.body
    const target = await targetOf(request.scope, request.params.conversation_id, { in: 'body', id: agent_id })
    return sender.send(request, reply, target, { ...body, streaming: streaming ?? true })
  })

  app.get('/:conversation_id/messages', operations.list_conversation_messages, async ({ scope, params, query }) => {
    const { agent_id, ...page } = query
    return listThreadMessages(scope, await targetOf(scope, params.conversation_id, { in: 'query', id: agent_id }), page)
  })

  app.post('/:conversation_id/stream', operations.retrieve_conversation_stream, async (request, reply) => {
    const { scope, params, body, headers } = request
    const { agent_id, run_id, otid } = body ?? {}
    const { threadId } = await targetOf(scope, params.conversation_id, { in: 'body', id: agent_id })
    return resumeRun(runtime, scope, await findRunOf(scope, threadId, { runId: run_id, otid }), {
      after: body?.starting_after ?? Number(headers['last-event-id'] ?? 0),
      pings: body?.include_pings ?? true,
      signal: callerGone(reply),
    })
  })

  app.post('/:conversation_id/cancel', operations.cancel_conversation, async (request) => {
    const { scope, params, query, body } = request
    const target = await targetOf(scope, params.conversation_id, { in: 'query', id: query.agent_id })
    return cancelRuns(runtime, scope, target, body?.run_ids ?? [])
  })
}
