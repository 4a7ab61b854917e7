import { isDeepStrictEqual } from 'node:util'
import { sql } from 'kysely'
import { ApiError } from '../lib/errors.ts'
import { newId } from '../lib/ids.ts'
import { parseInput } from '../llm/call-input.ts'
import type { Decision, ToolReturn } from '../resources/messages/body.ts'
import { answersByText } from '../resources/messages/fan-out.ts'
import { asParts } from '../resources/messages/insert.ts'
import { asText } from '../resources/messages/packed.ts'
import type { ContentPart, StoredCall, StoredMessage } from '../resources/messages/table.ts'
import { countedCalls, type Executed, type Sequel, sequelOf } from './continuation.ts'
import { executeCall } from './execute.ts'
import { stopEvent } from './frames.ts'
import { offerTools } from './offer.ts'
import type { Approval } from './request.ts'
import { heartbeatRow, messagesOf, returnRow } from './rows.ts'
import { storeWithEffects } from './store-step.ts'
import { DENIED, type PastCall } from './tool-rules.ts'
import type { ToolResult } from './tools/tool.ts'
import { contextWith, endOf, newRow, type StepEnd, type Turn } from './turn.ts'

/** A request for approval at the end of a history: the calls that wait, and those of the same step that wait with them. */
export interface PendingRequest {
  row: StoredMessage
  waiting: StoredCall[]
  deferred: StoredCall[]
}

/** The request at the end of a history; undefined where none waits. */
export function pendingRequest(rows: readonly StoredMessage[]): PendingRequest | undefined {
  const row = rows.at(-1)
  if (row?.role !== 'approval' || !row.tool_calls?.length) return undefined
  const before = rows.at(-2)
  const deferred = before?.role === 'assistant' && before.step_id === row.step_id ? (before.tool_calls ?? []) : []
  return { row, waiting: row.tool_calls, deferred }
}

const isReturn = (answer: Decision | ToolReturn): answer is ToolReturn => 'tool_return' in answer

const listed = (ids: readonly string[]) => `[${ids.map((id) => `'${id}'`).join(', ')}]`

const sameIds = (a: readonly string[], b: readonly string[]) => new Set(a).symmetricDifference(new Set(b)).size === 0

/** The answers to a request, by the id of the call. 400 unless each call that waits has one answer, and no other call. */
function answersTo({ row, waiting }: PendingRequest, { answers, requestId }: Approval) {
  const expected = waiting.map(({ id }) => id)
  const whole = requestId === row.id && waiting.length === 1
  const given = whole ? answers.map((answer) => ({ ...answer, tool_call_id: expected[0]! })) : answers
  const ids = given.map(({ tool_call_id }) => tool_call_id)
  if (!sameIds(expected, ids)) {
    throw new ApiError(
      'bad_request',
      `Invalid tool call IDs. Expected '${listed(expected)}', but received '${listed(ids)}'.`,
    )
  }
  const byCall = new Map(given.map((answer) => [answer.tool_call_id, answer]))
  const disputed = given.find((answer) => !isDeepStrictEqual(answer, byCall.get(answer.tool_call_id)))
  if (disputed) {
    throw new ApiError('bad_request', `The call ${disputed.tool_call_id} has two different answers: send one.`)
  }
  return byCall
}

/** The newest messages of an agent among which the returns of a repeated answer are looked for. */
const LOOKED_AT = 1_000

/** The ids of the calls of a request in the history. */
async function callsOf({ scope, run }: Turn, requestId: string): Promise<string[]> {
  const [row] = await scope.read<Pick<StoredMessage, 'tool_calls'>>(sql`
    select tool_calls from messages where organization_id = ${scope.organizationId} and id = ${requestId}
      and agent_id = ${run.agentId}`)
  return (row?.tool_calls ?? []).map(({ id }) => id)
}

/** Whether an answer comes again: returns of its calls are stored, though a compaction may have removed them from the context. */
export async function isRepeated(turn: Turn, { answers, requestId }: Approval): Promise<boolean> {
  const { scope, run, rows } = turn
  const given = answers.map(({ tool_call_id }) => tool_call_id)
  const ids = new Set(requestId ? [...(await callsOf(turn, requestId)), ...given].slice(0, 1) : given)
  const conversation = run.conversationId === undefined ? sql`is null` : sql`= ${run.conversationId}`
  const stored = await scope.read<Pick<StoredMessage, 'tool_returns'>>(sql`
    select tool_returns from (
      select tool_returns, conversation_id from messages
      where organization_id = ${scope.organizationId} and agent_id = ${run.agentId}
        ${run.conversationId === undefined ? sql`` : sql`and conversation_id ${conversation}`}
      order by created_at desc, id desc limit ${LOOKED_AT}
    ) as newest where conversation_id ${conversation} and tool_returns is not null limit 20`)
  return [...rows.slice(-10), ...stored].some(({ tool_returns }) => {
    const returned = new Set((tool_returns ?? []).map(({ tool_call_id }) => tool_call_id))
    return ids.size > 0 && ids.isSubsetOf(returned)
  })
}

/** The return of a call that the caller has denied. */
export const denied = (reason?: string | null): ToolResult => ({
  status: 'error',
  output: `${DENIED} User reason: ${reason ?? 'None'}`,
})

function returned({ tool_return, status, stdout, stderr }: ToolReturn): ToolResult {
  const parts = asParts(tool_return) as ContentPart[]
  return {
    status,
    output: asText(parts),
    ...(parts.some(({ type }) => type === 'image') && { content: parts }),
    stdout: stdout ?? null,
    stderr: stderr ?? null,
  }
}

/** Whether a call runs here: an approved one, and one that waited with others. */
const isApproved = (answer: Decision | ToolReturn | undefined) => !answer || (!isReturn(answer) && answer.approve)

/** The row of the caller's answers. */
function responseRow(turn: Turn, { answers, otid }: Approval): StoredMessage {
  const decision = answers.find((answer): answer is Decision => !isReturn(answer))
  return newRow(turn, {
    role: 'approval',
    otid: otid ?? null,
    approvals: answers.map((answer) => ({ ...answer, type: isReturn(answer) ? 'tool' : 'approval' })),
    approve: decision?.approve ?? null,
    approval_request_id: decision?.tool_call_id ?? null,
    denial_reason: decision?.reason ?? null,
  })
}

/** The sequel of answered calls. Where none ran here, the model reads the answers. */
function sequelOfAnswers(turn: Turn, ran: readonly Executed[], past: readonly PastCall[]): Sequel {
  if (ran.length > 0) return sequelOf(turn, ran, past)
  return answersByText(turn.agent.row.agent_type) ? {} : { heartbeat: 'The user has answered your request.' }
}

/**
 * Answers the request for approval that waits: runs the approved calls and those that waited with them, and stores all
 * returns in one row. Returns why the run ends, or undefined when it goes on. 400 for answers that don't fit the request.
 */
export const answerRequest = (turn: Turn, request: PendingRequest, approval: Approval): Promise<StepEnd> =>
  storeAnswers(turn, request, approval, answersTo(request, approval))

/** Denies the calls that wait, and those that wait with them, and goes on. */
export function denyRequest(turn: Turn, request: PendingRequest, reason: string): Promise<StepEnd> {
  const denialOf = ({ id }: StoredCall) => ({ type: 'approval' as const, tool_call_id: id, approve: false, reason })
  const all = [...request.waiting, ...request.deferred].map((call) => [call.id, denialOf(call)] as const)
  return storeAnswers(turn, request, { answers: request.waiting.map(denialOf) }, new Map(all))
}

async function storeAnswers(
  turn: Turn,
  request: PendingRequest,
  approval: Approval,
  answers: ReadonlyMap<string, Decision | ToolReturn>,
): Promise<StepEnd> {
  const all = [...request.waiting, ...request.deferred]
  const { allowed } = offerTools(turn)
  const resultOf = async ({ id, function: { name, arguments: input } }: StoredCall) => {
    const answer = answers.get(id)
    if (answer && isReturn(answer)) return returned(answer)
    if (answer && !answer.approve) return denied(answer.reason)
    return executeCall(turn, request.row.step_id ?? request.row.id, { id, name, args: parseInput(input), input }, [
      ...allowed,
      name,
    ])
  }
  const calls = all.map(({ id, function: { name, arguments: input } }) => ({ id, name, args: parseInput(input) }))
  const response = responseRow(turn, approval)
  const first = calls.find(({ id }) => isApproved(answers.get(id)))
  const returnId = newId('message')
  let added: StoredMessage[] = []
  let past = turn.calls
  let end: StepEnd
  await storeWithEffects(
    turn,
    async () => {
      const results: ToolResult[] = []
      for (const call of all) results.push(await resultOf(call))
      return results
    },
    (results) => {
      const executed = calls.map((call, n) => ({ call, result: results[n]! }))
      past = [...turn.calls, ...countedCalls(executed)]
      const ran = executed.filter(({ call }) => isApproved(answers.get(call.id)))
      const sequel = sequelOfAnswers(turn, ran, past)
      // Messages that came with the answers are answered, too.
      end = turn.inputs.length > 0 ? undefined : sequel.end
      const returned = returnRow(turn, returnId, request.row.step_id, calls, results, first?.name ?? null)
      const next = sequel.heartbeat ? [heartbeatRow(turn, request.row.step_id, sequel.heartbeat)] : []
      added = [response, returned, ...next]
      // A reader of tokens has the returns of its own tools, and its denials, already.
      const events = ran.length > 0 || !turn.request.stream_tokens ? messagesOf(turn, [returned]) : []
      const changes = { messages: added, context: contextWith(turn, added), pending: null }
      return end
        ? { ...changes, events: [...events, stopEvent(end), turn.usage], end: endOf(turn, end) }
        : { ...changes, events }
    },
  )
  turn.calls = past
  turn.rows.push(...added)
  return end
}
