import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { Scope } from '../db/scope.ts'
import { ApiError } from '../lib/errors.ts'
import { asText } from '../resources/messages/packed.ts'
import type { SendResponse } from '../resources/messages/schema.ts'
import type { ContentPart } from '../resources/messages/table.ts'
import { cancelRuns } from './cancel.ts'
import { ToolError } from './memory.ts'
import type { Runtime } from './runtime.ts'
import { awaitRun, beginRun } from './send.ts'
import type { Letter, Letters } from './tools/tool.ts'

/** The agents, one behind the other, that one message of a user may set to work: agents that write to each other end so. */
const MAX_HOPS = 8

/** The id of the letter of a call: a call that runs again finds the run of its first letter. */
function otidOf({ from, to }: Letter): string {
  const hash = createHash('sha256').update(`${from.run_id} ${from.tool_call_id} ${to}`).digest('hex')
  return hash.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-8$3-8$4-$5')
}

/** Stores a run of the receiver, and begins it once the receiver is free. */
async function send(runtimeOf: () => Runtime, scope: Scope, letter: Letter, waits: boolean) {
  const { from, to, text, hops, group } = letter
  if (hops >= MAX_HOPS) {
    throw new ToolError(`No message was sent: this conversation of agents has passed on ${MAX_HOPS} messages already.`)
  }
  if (!scope.can('agents:run', to))
    throw new ToolError(`No message was sent: the caller's key does not reach the agent ${to}.`)
  const note = waits ? 'your response will be delivered to the sender' : 'the sender does not wait for a response'
  const content = `[Incoming message from agent with ID '${from.agent_id}' - ${note}] ${text}`
  const messages = [{ role: 'system' as const, content, sender_id: from.agent_id, otid: otidOf(letter) }]
  const part = group && { groupId: group.groupId, parentRunId: group.runId }
  const options = { background: !waits, hops: hops + 1, ...(!waits && { runType: 'send_message_async' }) }
  return beginRun(runtimeOf(), scope, { agentId: to, threadId: to, ...part }, { messages }, options)
}

/** Notes the run that another one waits for. */
const noteWait = (scope: Scope, runId: string | null, awaited: string) =>
  scope.query(sql`update runs set awaits = array_append(coalesce(awaits, '{}'), ${awaited})
    where organization_id = ${scope.organizationId} and id = ${runId} returning id`)

/**
 * Whether a run that waits for its thread would wait for ever: a queued run waits for the run of its thread, and a run that is
 * carried out for the replies it has asked for. Whoever adds the last wait of a circle finds it.
 */
async function waitsForItself(scope: Scope, runId: string | null, awaited: string): Promise<boolean> {
  const { organizationId } = scope
  const found = await scope.query(sql`
    with recursive behind (id) as (
      select ${awaited}::text collate "C" union
      select next.id from behind
        join runs on runs.organization_id = ${organizationId} and runs.id = behind.id
        cross join lateral (
          select run_id from threads where threads.organization_id = ${organizationId} and threads.id = runs.thread_id
            and runs.status = 'created' and run_id is not null
          union all select unnest(runs.awaits) where runs.status = 'running') as next (id))
    select 1 from behind where id = ${runId}`)
  return found.length > 0
}

const textsOf = ({ messages, stop_reason }: SendResponse): string[] => {
  const texts = messages.flatMap(({ message_type, content }) =>
    // It holds: the content of an assistant message is a text, or parts.
    message_type === 'assistant_message' ? [asText(content as string | ContentPart[])] : [],
  )
  if (texts.length > 0) return texts
  return [stop_reason.stop_reason === 'requires_approval' ? '<waits for an approval>' : '<no response>']
}

/** Resolves with a promise, or rejects with the reason of the signal, whichever comes first. */
function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const abort = () => reject(signal.reason)
  if (signal.aborted) abort()
  signal.addEventListener('abort', abort)
  return Promise.race([promise, aborted]).finally(() => signal.removeEventListener('abort', abort))
}

/** The post between the agents of an organization, through the runtime of this server. */
export const createLetters = (runtimeOf: () => Runtime): Letters => ({
  async tell(scope, letter) {
    await send(runtimeOf, scope, letter, false)
  },
  async ask(scope, letter, signal) {
    const { id, state } = await send(runtimeOf, scope, letter, true)
    const runtime = runtimeOf()
    await noteWait(scope, letter.from.run_id, id)
    if (state !== 'running' && (await waitsForItself(scope, letter.from.run_id, id))) {
      await cancelRuns(runtime, scope, { agentId: letter.to, threadId: letter.to }, [id])
      throw new ToolError(`The agent ${letter.to} waits for this agent itself: it could never reply.`)
    }
    try {
      return textsOf(await unlessAborted(awaitRun(runtime, scope, id), signal))
    } catch (error) {
      if (signal.aborted || !(error instanceof ApiError)) throw error
      throw new ToolError(`The agent ${letter.to} could not reply: ${error.message}`)
    }
  },
})
