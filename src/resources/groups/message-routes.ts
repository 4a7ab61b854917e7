import { Type } from 'typebox'
import { operationsOf } from '../../http/operation.ts'
import type { App } from '../../http/server.ts'
import { ApiError } from '../../lib/errors.ts'
import { OneOf, Ref } from '../../lib/wire.ts'
import { cancelRuns } from '../../runtime/cancel.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { CancelRuns, type SendMessages, SendToGroup, SendToGroupAsync } from '../messages/body.ts'
import { Message, type StreamEvent } from '../messages/schema.ts'
import { BEGINS_RUN, createSender, events, messagesOrEvents, SendHeaders } from '../messages/send-routes.ts'
import { Run, runs } from '../runs/schema.ts'
import { ListGroupMessages } from './message-schema.ts'
import { listGroupMessages, resetGroupMessages } from './messages.ts'
import { GroupParams } from './schema.ts'

const params = GroupParams
const body = Ref(SendToGroup)

const operations = operationsOf('groups', {
  send_group_message: [
    'Send messages to a group, and wait for the answers of its members or stream them',
    { params, headers: SendHeaders, body, response: { 200: messagesOrEvents } },
    BEGINS_RUN,
  ],
  stream_group_message: [
    'Send messages to a group, and stream the answers of its members',
    { params, headers: SendHeaders, body, response: { 200: events }, deprecated: true },
    BEGINS_RUN,
  ],
  send_group_message_async: [
    'Send messages to a group, and get the run at once',
    { params, headers: SendHeaders, body: SendToGroupAsync, response: { 200: Ref(Run) } },
    BEGINS_RUN,
  ],
  cancel_group_message: [
    'Cancel runs of a group, and the runs of its members that belong to them',
    { params, body: CancelRuns, response: { 200: Type.Record(Type.String(), OneOf(['cancelled', 'failed'])) } },
  ],
  list_group_messages: [
    'List the messages of a group, newest first',
    { params, querystring: ListGroupMessages, response: { 200: Type.Array(Ref(Message)) } },
  ],
  reset_group_messages: [
    'Delete the messages of a group, in the contexts of its members too',
    { params, response: { 200: Type.Null() } },
  ],
})

/** Events without the reason of the stop, which the older clients of Letta take for an error. */
async function* withoutStopReason(events: AsyncGenerator<StreamEvent>): AsyncGenerator<StreamEvent> {
  for await (const event of events) {
    if (event.message_type !== 'stop_reason') yield event
  }
}

/** The thread of a group. */
const targetOf = ({ group_id: id }: { group_id: string }) => ({ agentId: id, threadId: id, groupId: id })

/** 400 for an answer to a request for approval: it goes to the agent that asked. */
function checkMessages({ messages }: SendMessages): void {
  if (messages?.every((message) => 'role' in message) ?? true) return
  throw new ApiError('bad_request', 'An answer to a request for approval goes to the agent that waits for it.')
}

/** `/v1/groups/{group_id}/messages` */
export const groupMessageRoutes = (runtime: Runtime) => async (app: App) => {
  const sender = createSender(runtime)

  app.post('/:group_id/messages', operations.send_group_message, async (request, reply) => {
    checkMessages(request.body)
    return sender.send(request, reply, targetOf(request.params), request.body)
  })

  app.post('/:group_id/messages/stream', operations.stream_group_message, async (request, reply) => {
    checkMessages(request.body)
    // The older clients of Letta, which are those that ask for this path, take a ping for an error, too.
    const body = { ...request.body, include_pings: false }
    const events = await sender.stream(request, reply, targetOf(request.params), body)
    return request.scope.names === 'vendor' ? withoutStopReason(events) : events
  })

  app.post('/:group_id/messages/async', operations.send_group_message_async, async (request, reply) => {
    const { callback_url, ...messages } = request.body
    checkMessages(messages)
    const options = { background: true, runType: 'send_message_async', callbackUrl: callback_url ?? undefined }
    const target = targetOf(request.params)
    const id = await sender.begin(request, reply, target, messages, options)
    return request.scope.retrieve(runs, id)
  })

  app.post('/:group_id/messages/cancel', operations.cancel_group_message, ({ scope, params, body }) =>
    cancelRuns(runtime, scope, targetOf(params), body?.run_ids ?? []),
  )

  app.get('/:group_id/messages', operations.list_group_messages, ({ scope, params, query }) =>
    listGroupMessages(scope, params.group_id, query),
  )

  app.patch('/:group_id/reset-messages', operations.reset_group_messages, async ({ scope, params }) => {
    await resetGroupMessages(scope, params.group_id)
    return null
  })
}
