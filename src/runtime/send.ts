import type { Scope } from '../db/scope.ts'
import type { SendMessages } from '../resources/messages/body.ts'
import { checkGroups } from '../resources/messages/insert.ts'
import { MESSAGE_TYPES, type Message, type SendResponse, type StreamEvent } from '../resources/messages/schema.ts'
import type { Target } from '../resources/messages/table.ts'
import type { AcceptedRun, NewRun, RunClaim, WhenBusy } from './accept.ts'
import { ping } from './frames.ts'
import { groupEventsOf } from './groups/read-group.ts'
import { eventsOf } from './read-events.ts'
import { callerOtids, runRequest } from './request.ts'
import type { Runtime } from './runtime.ts'
import { storedResponse } from './stored-run.ts'

/** The form of the events of a run: clients of this API tell errors apart by their name, and wait for the last line. */
export const RUN_EVENTS = {
  nameOf: ({ message_type }: { message_type: string }) => (message_type === 'error_message' ? 'error' : undefined),
  idOf: ({ seq_id }: { seq_id?: number }) => seq_id,
  end: '[DONE]',
}

/** Further ways in which a request begins a run. */
export interface SendOptions extends Pick<NewRun, 'origin' | 'alongside'> {
  background?: boolean
  runType?: string
  callbackUrl?: string | undefined
  claim?: RunClaim | undefined
  /** Whether the stream of the run reports that the agent waits for an approval; else the request is a 409. */
  besidePending?: boolean
  /** See `RunRequest`. */
  hops?: number
  /** What happens where the agent is busy. */
  whenBusy?: WhenBusy | undefined
}

/** Stores a run for a body, and begins it once its thread is free; or finds the run of the request that this one repeats. */
export async function beginRun(
  runtime: Runtime,
  scope: Scope,
  target: Target & Pick<NewRun, 'parentRunId'>,
  body: SendMessages,
  {
    background = false,
    runType = 'send_message',
    callbackUrl,
    claim,
    besidePending = false,
    whenBusy,
    hops,
    ...origin
  }: SendOptions = {},
): Promise<AcceptedRun> {
  const request = { ...runRequest(body), hops }
  await checkGroups(scope, [...new Set((body.messages ?? []).flatMap(({ group_id }) => group_id ?? []))])
  return runtime.start(scope, {
    ...target,
    request,
    actor: scope.actor,
    otids: callerOtids(body),
    claim,
    background,
    runType,
    callbackUrl,
    besidePending,
    whenBusy,
    ...origin,
  })
}

const KINDS: readonly string[] = MESSAGE_TYPES

const isMessage = (event: StreamEvent): event is Message => KINDS.includes(event.message_type)

/** The response to a blocking caller: waits for the end of the run. Throws the error of a run that failed. */
export async function awaitRun(
  runtime: Runtime,
  scope: Scope,
  id: string,
  types?: readonly string[] | null,
  { return_logprobs, return_token_ids }: Pick<SendMessages, 'return_logprobs' | 'return_token_ids'> = {},
): Promise<SendResponse> {
  const local = runtime.local(id)
  const outcome = await local?.done
  if (outcome?.failure) throw outcome.failure.error
  // Of a stream, the log has pieces of messages.
  if (!local || !outcome || local.log.isStored) return storedResponse(runtime, scope, id)
  const messages = local.log.events.map(({ event }) => event).filter(isMessage)
  return {
    messages: messages.filter(({ message_type }) => !types || types.includes(message_type)),
    stop_reason: { message_type: 'stop_reason', stop_reason: outcome.stopReason },
    usage: outcome.usage,
    ...(return_logprobs && outcome.tokens && { logprobs: { content: outcome.tokens.logprobs } }),
    ...((return_logprobs || return_token_ids) && outcome.tokens && { turns: outcome.tokens.turns }),
  }
}

/** How a reader gets the events of a run. */
export interface ReadOptions {
  /** The number of the last event that the reader has. */
  after?: number
  /** Whether events bear their numbers. */
  numbered: boolean
  pings: boolean
  /** Whether the run is a group's: the events of its members follow each other. */
  ofGroup?: boolean
  types?: readonly string[] | null | undefined
  signal: AbortSignal
}

const PING_MS = 10_000

/** Events, with a ping where none came for some seconds: proxies close connections that are idle. */
async function* withPings(events: AsyncGenerator<StreamEvent>, runId: string): AsyncGenerator<StreamEvent> {
  try {
    let next = events.next()
    for (;;) {
      let timer: NodeJS.Timeout | undefined
      const idle = new Promise<void>((done) => {
        timer = setTimeout(done, PING_MS)
      })
      const result = await Promise.race([next, idle])
      clearTimeout(timer)
      if (!result) yield ping(runId)
      else if (result.done) return
      else {
        yield result.value
        next = events.next()
      }
    }
  } finally {
    await events.return(undefined)
  }
}

/** The numbers that clients know: those of pings and messages. */
const bearsNumber = ({ message_type }: StreamEvent) => message_type === 'ping' || KINDS.includes(message_type)

/** The events of a run as they come, for one reader. */
export function readRun(
  runtime: Runtime,
  scope: Scope,
  runId: string,
  options: ReadOptions,
): AsyncGenerator<StreamEvent> {
  const { after = 0, numbered, pings, types, ofGroup, signal } = options
  const read = ofGroup ? groupEventsOf : eventsOf
  async function* chosen(): AsyncGenerator<StreamEvent> {
    for await (const { seq, event } of read(runtime, scope, runId, after, signal)) {
      if (event.message_type === 'ping' && !pings) continue
      if (types && isMessage(event) && !types.includes(event.message_type)) continue
      yield numbered && bearsNumber(event) ? { ...event, seq_id: seq } : event
    }
  }
  return pings ? withPings(chosen(), runId) : chosen()
}
