import type { Message } from '../../../api/generated.ts'
import { textOf } from '../../../components/text-of.ts'
import { callsOf } from './pieces.ts'

/** A call of a tool with all that is known of it: its approval and its result. */
export interface ToolEntry {
  kind: 'tool'
  id: string
  name: string
  arguments: string
  /** Where a person approves the call: absent for a call that needs no approval. */
  approval?: { requestId: string; approved?: boolean; reason?: string }
  result?: { text: string; failed: boolean; output: string[] }
}

/** What the conversation shows, one below the other. */
export type Entry =
  | ToolEntry
  | {
      kind: 'user' | 'assistant' | 'reasoning' | 'system' | 'summary' | 'event'
      id: string
      text: string
      message: Message
    }

type Calls = Map<string, ToolEntry>

function addCalls(message: Message, calls: Calls): ToolEntry[] {
  const awaits = message.message_type === 'approval_request_message'
  return callsOf(message).flatMap(({ tool_call_id, name, arguments: args }) => {
    const id = tool_call_id ?? message.id
    const approval = awaits ? { approval: { requestId: message.id } } : {}
    const entry: ToolEntry = { kind: 'tool', id, name: name ?? '', arguments: args ?? '', ...approval }
    const known = calls.has(id)
    calls.set(id, entry)
    return known ? [] : [entry]
  })
}

function addReturns(message: Extract<Message, { message_type: 'tool_return_message' }>, calls: Calls): void {
  const returns = message.tool_returns ?? [message]
  for (const { tool_call_id, tool_return, status, stdout = [], stderr = [] } of returns) {
    const call = calls.get(tool_call_id)
    if (call) call.result = { text: textOf(tool_return), failed: status === 'error', output: [...stdout, ...stderr] }
  }
}

type Response = Extract<Message, { message_type: 'approval_response_message' }>

function addApprovals({ approvals = [] }: Response, calls: Calls): void {
  for (const decision of approvals as { tool_call_id?: string; approve?: boolean; reason?: string }[]) {
    const call = calls.get(decision.tool_call_id ?? '')
    if (call?.approval) Object.assign(call.approval, { approved: decision.approve ?? true, reason: decision.reason })
  }
}

/** Turns messages, oldest first, into entries: returns and approvals go to the calls that they belong to. */
export function entriesOf(messages: readonly Message[]): Entry[] {
  const calls: Calls = new Map()
  return messages.flatMap((message): Entry[] => {
    switch (message.message_type) {
      case 'tool_call_message':
      case 'approval_request_message':
        return addCalls(message, calls)
      case 'tool_return_message':
        addReturns(message, calls)
        return []
      case 'approval_response_message':
        addApprovals(message, calls)
        return []
      case 'reasoning_message':
        return [{ kind: 'reasoning', id: message.id, text: message.reasoning, message }]
      case 'summary_message':
        return [{ kind: 'summary', id: message.id, text: message.summary, message }]
      case 'user_message':
        return [{ kind: 'user', id: message.id, text: textOf(message.content), message }]
      case 'assistant_message':
        return [{ kind: 'assistant', id: message.id, text: textOf(message.content), message }]
      case 'system_message':
        return [{ kind: 'system', id: message.id, text: textOf(message.content), message }]
      default:
        return []
    }
  })
}

/** The calls that wait for a person. */
export const waitingCalls = (entries: readonly Entry[]): ToolEntry[] =>
  entries.filter(
    (entry): entry is ToolEntry =>
      entry.kind === 'tool' && entry.approval !== undefined && entry.approval.approved === undefined && !entry.result,
  )
