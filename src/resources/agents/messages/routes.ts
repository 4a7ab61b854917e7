import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { claimOf, reused } from '../../../http/idempotency-key.ts'
import { isLetta } from '../../../http/letta.ts'
import { operationsOf } from '../../../http/operation.ts'
import type { App } from '../../../http/server.ts'
import { callerGone, EventStream, ValueOrEvents } from '../../../http/sse.ts'
import { inBody, invalid } from '../../../lib/errors.ts'
import { OneOf, Ref } from '../../../lib/wire.ts'
import { cancelRuns } from '../../../runtime/cancel.ts'
import type { Runtime } from '../../../runtime/runtime.ts'
import { awaitRun, beginRun, RUN_EVENTS, readRun, type SendOptions } from '../../../runtime/send.ts'
import { SendBody, type SendMessages, SendMessagesAsync } from '../../messages/body.ts'
import { Message, SendResponse, StreamEvent } from '../../messages/schema.ts'
import { Run, runs } from '../../runs/schema.ts'
import { AgentParams } from '../schema.ts'
import { listAgentMessages } from './messages.ts'
import { CancelRuns, ListAgentMessages } from './schema.ts'

const params = AgentParams

const config = { idempotency: 'row', stream: RUN_EVENTS } as const

const events = EventStream(Ref(StreamEvent))

const messagesOrEvents = ValueOrEvents(
  Ref(SendResponse),
  Ref(StreamEvent),
  'The messages of the run; with `streaming`, its events.',
)

const operations = operationsOf('messages', {
  send_message: [
    'Send messages to an agent, and wait for its answer or stream it',
    { params, body: SendBody, response: { 200: messagesOrEvents } },
    config,
  ],
  stream_message: [
    'Send messages to an agent, and stream its answer',
    { params, body: SendBody, response: { 200: events }, deprecated: true },
    config,
  ],
  send_message_async: [
    'Send messages to an agent, and get the run at once',
    { params, body: SendMessagesAsync, response: { 200: Ref(Run) } },
    config,
  ],
  cancel_message: [
    'Cancel runs of an agent, and the request for approval that waits',
    { params, body: CancelRuns, response: { 200: Type.Record(Type.String(), OneOf(['cancelled', 'failed'])) } },
  ],
  list_messages: [
    'List the messages of an agent, newest first',
    { params, querystring: ListAgentMessages, response: { 200: Type.Array(Ref(Message)) } },
  ],
})

type Request = Pick<FastifyRequest, 'scope'> & { params: { agent_id: string } }

/** 422 for options of a stream in a request that asks for none. */
function checkStreaming({ streaming, stream_tokens, background }: SendMessages): void {
  const issues = [
    ...(stream_tokens ? [inBody('stream_tokens', 'needs streaming true')] : []),
    ...(background ? [inBody('background', 'needs streaming true')] : []),
  ]
  if (!streaming && issues.length > 0) throw invalid(...issues)
}

const targetOf = ({ params }: Request) => ({ agentId: params.agent_id, threadId: params.agent_id })

/** 422 for what the server doesn't do yet: a request that asks for it would wait in vain. */
function checkServed({ return_logprobs, return_token_ids, callback_url }: SendMessages & SendMessagesAsync): void {
  const issues = [
    ...(callback_url ? [inBody('callback_url', 'is not called yet: read the run until it has ended')] : []),
    ...(return_logprobs ? [inBody('return_logprobs', 'is not served yet')] : []),
    ...(return_token_ids ? [inBody('return_token_ids', 'is not served yet')] : []),
  ]
  if (issues.length > 0) throw invalid(...issues)
}

/** `/v1/agents/{agent_id}/messages` */
export const agentMessageRoutes = (runtime: Runtime) => async (app: App) => {
  /** Begins the run of a request, or finds the run of the request that it repeats. Returns the run's id. */
  async function begin(
    request: Request & FastifyRequest,
    reply: FastifyReply,
    body: SendMessages,
    options: SendOptions,
  ) {
    const { scope } = request
    checkServed(request.body as SendMessages)
    const claim = claimOf(request)
    const { id, state } = await beginRun(runtime, scope, targetOf(request), body, { ...options, claim })
    if (state === 'reused') throw reused()
    if (state === 'known') reply.header('idempotent-replayed', 'true')
    return id
  }

  async function streamRun(request: Request & FastifyRequest, reply: FastifyReply, body: SendMessages) {
    const background = body.background ?? false
    const options = { background, besidePending: isLetta(request) }
    const id = await begin(request, reply, { ...body, streaming: true }, options)
    return readRun(runtime, request.scope, id, {
      numbered: background,
      pings: body.include_pings ?? true,
      types: body.include_return_message_types,
      signal: callerGone(reply),
    })
  }

  app.post('/:agent_id/messages', operations.send_message, async (request, reply) => {
    const { scope, body } = request
    checkStreaming(body)
    if (body.streaming) return streamRun(request as never, reply, body)
    const id = await begin(request as never, reply, body, {})
    return awaitRun(runtime, scope, id, body.include_return_message_types)
  })

  app.post('/:agent_id/messages/stream', operations.stream_message, (request, reply) =>
    streamRun(request as never, reply, request.body),
  )

  app.post('/:agent_id/messages/async', operations.send_message_async, async (request, reply) => {
    const { callback_url, ...messages } = request.body
    const options = { background: true, runType: 'send_message_async', callbackUrl: callback_url }
    return request.scope.retrieve(runs, await begin(request as never, reply, messages, options))
  })

  app.post('/:agent_id/messages/cancel', operations.cancel_message, (request) =>
    cancelRuns(runtime, request.scope, targetOf(request), request.body?.run_ids ?? []),
  )

  app.get('/:agent_id/messages', operations.list_messages, ({ scope, params, query }) =>
    listAgentMessages(scope, params.agent_id, query),
  )
}
