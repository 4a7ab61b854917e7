import { inZone } from '../lib/clock.ts'
import { fanOutOf, toMessages } from '../resources/messages/fan-out.ts'
import { asParts } from '../resources/messages/insert.ts'
import { asText, packEvent, packReturn } from '../resources/messages/packed.ts'
import type { ApprovalRequestMessage, Message } from '../resources/messages/schema.ts'
import type { StoredMessage } from '../resources/messages/table.ts'
import type { Answer } from './answer.ts'
import { type Call, modelPartsOf, storedCall } from './calls.ts'
import type { UserInput } from './request.ts'
import type { ToolResult } from './tools/tool.ts'
import { newRow, speakerOf, type Turn } from './turn.ts'

/** The row of a message of the caller. */
export const inputRow = (turn: Pick<Turn, 'run'>, { role, content, name, otid, sender_id, group_id }: UserInput) =>
  newRow(turn, {
    role,
    content: asParts(content) as StoredMessage['content'],
    name: name ?? null,
    otid,
    sender_id: sender_id ?? null,
    ...(group_id != null && { group_id }),
  })

/** The rows of a model's answer: its message, and the calls that wait for an approval in a row of their own. */
export function answerRows(turn: Turn, { ids, output, content, now, waiting }: Answer): StoredMessage[] {
  const { model, config } = turn
  const fields = {
    step_id: ids.stepId,
    content,
    model: config.model,
    ...speakerOf(turn),
    model_parts: modelPartsOf(output, model.provider, model.modelId),
  }
  const stored = (calls: readonly Call[]) => calls.map((call) => storedCall(call, waiting.length > 0))
  const rows: StoredMessage[] = []
  if (now.length > 0 || waiting.length === 0) {
    const tool_calls = now.length > 0 ? stored(now) : null
    rows.push(newRow(turn, { ...fields, role: 'assistant', id: ids.messageId, tool_calls }))
  }
  if (waiting.length > 0) {
    const own = rows.length > 0 ? { ...fields, content: [], model_parts: null } : fields
    rows.push(newRow(turn, { ...own, role: 'approval', id: ids.approvalId, tool_calls: stored(waiting) }))
  }
  return rows
}

/** The row of the returns of a step's calls. */
export function returnRow(
  turn: Pick<Turn, 'run' | 'clock'>,
  id: string,
  stepId: string | null,
  calls: readonly Pick<Call, 'id' | 'name'>[],
  results: readonly ToolResult[],
  name: string | null = calls[0]!.name,
): StoredMessage {
  const time = inZone(new Date(), turn.clock)
  const returns = results.map(({ status, output, content, stdout, stderr }, n) => ({
    tool_call_id: calls[n]!.id,
    status,
    func_response: content ?? packReturn(status, output, time),
    stdout: stdout ?? null,
    stderr: stderr ?? null,
  }))
  const [first] = returns
  return newRow(turn, {
    id,
    role: 'tool',
    step_id: stepId,
    name,
    content: [{ type: 'text', text: asText(first!.func_response) }],
    tool_call_id: first!.tool_call_id,
    tool_returns: returns,
  })
}

/** A message of the server that the model reads as the user's: why the run goes on. */
export function heartbeatRow(turn: Turn, stepId: string | null, reason: string): StoredMessage {
  const text = packEvent('heartbeat', { reason: `Automated message: ${reason}` }, inZone(new Date(), turn.clock))
  return newRow(turn, { role: 'user', step_id: stepId, content: [{ type: 'text', text }] })
}

/** The request for approval that a row holds, as the wire has it. */
export const approvalRequest = (turn: Turn, row: StoredMessage): ApprovalRequestMessage =>
  // The last message of such a row is its request.
  toMessages(row, fanOutOf(turn.agent.row.agent_type, turn.request)).at(-1) as ApprovalRequestMessage

/** New rows as the readers of the run get them. */
export function messagesOf(turn: Turn, rows: readonly StoredMessage[]): Message[] {
  const options = fanOutOf(turn.agent.row.agent_type, turn.request)
  return rows.flatMap((row) => toMessages(row, options))
}
