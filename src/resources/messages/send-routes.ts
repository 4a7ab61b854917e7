import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { claimOf, reused } from '../../http/idempotency-key.ts'
import { isLetta } from '../../http/letta.ts'
import { callerGone, EventStream, ValueOrEvents } from '../../http/sse.ts'
import { inBody, invalid } from '../../lib/errors.ts'
import { OneOf, Ref } from '../../lib/wire.ts'
import { WHEN_BUSY, type WhenBusy } from '../../runtime/accept.ts'
import { cancelOthers } from '../../runtime/cancel.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { awaitRun, beginRun, RUN_EVENTS, readRun, type SendOptions } from '../../runtime/send.ts'
import { isOfGroup, type Target } from '../messages/table.ts'
import type { SendMessages } from './body.ts'
import { SendResponse, StreamEvent } from './schema.ts'

/** The configuration of routes that begin a run. */
export const BEGINS_RUN = { idempotency: 'row', stream: RUN_EVENTS, right: 'run' } as const

/** The fields of a send that callers who reach one agent alone may set: those that make it no other agent. */
const CLIENT_FIELDS = [
  ...['messages', 'input', 'max_steps', 'include_return_message_types', 'client_tools', 'client_skills', 'on_pending'],
  ...['streaming', 'stream_tokens', 'include_pings', 'background'],
  ...['use_assistant_message', 'assistant_message_tool_name', 'assistant_message_tool_kwarg'],
]

/** The same, for a path that names the agent. */
export const AGENT_RUNS = { ...BEGINS_RUN, clientAccess: { right: 'write_messages', fields: CLIENT_FIELDS } } as const

/** The headers of requests that begin a run. */
export const SendHeaders = Type.Object({
  'cairn-when-busy': Type.Optional(
    OneOf(WHEN_BUSY, {
      description:
        'Where a run of the agent is carried out: `enqueue` (the default) waits for it, up to 100 runs; `reject` is a 409; ' +
        '`interrupt` cancels it and those that wait.',
    }),
  ),
})

export const events = EventStream(Ref(StreamEvent))

export const messagesOrEvents = ValueOrEvents(
  Ref(SendResponse),
  Ref(StreamEvent),
  'The messages of the run; with `streaming`, its events.',
)

/** 422 for options of a stream in a request that asks for none. */
function checkStreaming({ streaming, stream_tokens, background }: SendMessages): void {
  const issues = [
    ...(stream_tokens ? [inBody('stream_tokens', 'needs streaming true')] : []),
    ...(background ? [inBody('background', 'needs streaming true')] : []),
  ]
  if (!streaming && issues.length > 0) throw invalid(...issues)
}

/** A request that begins a run, whatever the schemas of its route. */
type Request = Pick<FastifyRequest, 'scope'>
type Reply = Pick<FastifyReply, 'raw'> & { header(name: string, value: string): unknown }

/** The responses to requests that begin runs. */
export function createSender(runtime: Runtime) {
  /** Begins the run of a request, or finds the run of the request that it repeats. Returns the run's id. */
  async function begin(
    given: Request,
    reply: Reply,
    target: Target,
    body: SendMessages,
    options: SendOptions = {},
  ): Promise<string> {
    // It holds: a handler's request is typed by its own schema, and is a request all the same.
    const request = given as FastifyRequest
    const claim = claimOf(request)
    const whenBusy = request.headers['cairn-when-busy'] as WhenBusy | undefined
    const { id, state } = await beginRun(runtime, request.scope, target, body, { ...options, claim, whenBusy })
    if (state === 'reused') throw reused()
    if (state === 'waiting' && whenBusy === 'interrupt') await cancelOthers(runtime, request.scope, target, id)
    if (state === 'known') reply.header('idempotent-replayed', 'true')
    return id
  }

  async function stream(request: Request, reply: Reply, target: Target, body: SendMessages) {
    const background = body.background ?? false
    const options = { background, besidePending: isLetta(request as FastifyRequest) }
    const id = await begin(request, reply, target, { ...body, streaming: true }, options)
    return readRun(runtime, request.scope, id, {
      numbered: background,
      pings: body.include_pings ?? true,
      types: body.include_return_message_types,
      ofGroup: isOfGroup(target),
      signal: callerGone(reply),
    })
  }

  return {
    begin,
    stream,
    /** Responds with the messages of the run; with `streaming`, with its events. */
    async send(request: Request, reply: Reply, target: Target, body: SendMessages) {
      checkStreaming(body)
      if (body.streaming) return stream(request, reply, target, body)
      const id = await begin(request, reply, target, body)
      return awaitRun(runtime, request.scope, id, body.include_return_message_types, body)
    },
  }
}
