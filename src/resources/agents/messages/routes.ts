import { Type } from 'typebox'
import { operationsOf } from '../../../http/operation.ts'
import type { App } from '../../../http/server.ts'
import { OneOf, Ref } from '../../../lib/wire.ts'
import { cancelRuns } from '../../../runtime/cancel.ts'
import type { Runtime } from '../../../runtime/runtime.ts'
import { CancelRuns, SendBody, SendMessagesAsync } from '../../messages/body.ts'
import { Message } from '../../messages/schema.ts'
import { AGENT_RUNS, createSender, events, messagesOrEvents, SendHeaders } from '../../messages/send-routes.ts'
import { Run, runs } from '../../runs/schema.ts'
import { AgentParams } from '../schema.ts'
import { listAgentMessages } from './messages.ts'
import { ListAgentMessages } from './schema.ts'

const params = AgentParams

const operations = operationsOf('messages', {
  send_message: [
    'Send messages to an agent, and wait for its answer or stream it',
    { params, headers: SendHeaders, body: SendBody, response: { 200: messagesOrEvents } },
    AGENT_RUNS,
  ],
  stream_message: [
    'Send messages to an agent, and stream its answer',
    { params, headers: SendHeaders, body: SendBody, response: { 200: events }, deprecated: true },
    AGENT_RUNS,
  ],
  send_message_async: [
    'Send messages to an agent, and get the run at once',
    { params, headers: SendHeaders, body: SendMessagesAsync, response: { 200: Ref(Run) } },
    AGENT_RUNS,
  ],
  cancel_message: [
    'Cancel runs of an agent, and the request for approval that waits',
    { params, body: CancelRuns, response: { 200: Type.Record(Type.String(), OneOf(['cancelled', 'failed'])) } },
    { right: 'run', clientAccess: { right: 'write_messages', fields: ['run_ids'] } },
  ],
  list_messages: [
    'List the messages of an agent, newest first',
    { params, querystring: ListAgentMessages, response: { 200: Type.Array(Ref(Message)) } },
    { clientAccess: { right: 'read_messages' } },
  ],
})

/** The thread of an agent itself. */
const targetOf = ({ agent_id }: { agent_id: string }) => ({ agentId: agent_id, threadId: agent_id })

/** `/v1/agents/{agent_id}/messages` */
export const agentMessageRoutes = (runtime: Runtime) => async (app: App) => {
  const sender = createSender(runtime)

  app.post('/:agent_id/messages', operations.send_message, (request, reply) =>
    sender.send(request, reply, targetOf(request.params), request.body),
  )

  app.post('/:agent_id/messages/stream', operations.stream_message, (request, reply) =>
    sender.stream(request, reply, targetOf(request.params), request.body),
  )

  app.post('/:agent_id/messages/async', operations.send_message_async, async (request, reply) => {
    const { callback_url, ...messages } = request.body
    const options = { background: true, runType: 'send_message_async', callbackUrl: callback_url ?? undefined }
    const id = await sender.begin(request, reply, targetOf(request.params), messages, options)
    return request.scope.retrieve(runs, id)
  })

  app.post('/:agent_id/messages/cancel', operations.cancel_message, ({ scope, params, body }) =>
    cancelRuns(runtime, scope, targetOf(params), body?.run_ids ?? []),
  )

  app.get('/:agent_id/messages', operations.list_messages, ({ scope, params, query }) =>
    listAgentMessages(scope, params.agent_id, query),
  )
}
