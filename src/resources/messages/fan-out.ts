import { asText, spacedJson, unpackReturn, unpackSummary, unpackUser } from './packed.ts'
import type { Message, MessageType } from './schema.ts'
import type { ContentPart, StoredCall, StoredMessage, StoredReturn } from './table.ts'

/** How rows become messages of the wire. */
export interface FanOut {
  /** Whether the text of a model is its answer; else only a call of the assistant tool answers, and text is reasoning. */
  textIsAnswer: boolean
  /** The tool whose calls become assistant messages; undefined to show its calls. */
  assistantTool?: { name: string; argument: string } | undefined
  /** Whether summaries are messages of their own kind; else they are a user's, as models read them. */
  summaries?: boolean
}

/** The default tool through which older agents answer. */
export const ASSISTANT_TOOL = { name: 'send_message', argument: 'message' }

/** Types of agents whose text is their answer; agents of other types answer by a tool. */
const ANSWER_BY_TEXT = ['svc_v1_agent', 'sleeptime_agent']

/** The deprecated options for agents that answer by a tool. */
interface AssistantOptions {
  use_assistant_message?: boolean | null | undefined
  assistant_message_tool_name?: string | null | undefined
  assistant_message_tool_kwarg?: string | null | undefined
  include_compaction_messages?: boolean | null | undefined
}

/** Whether the text of an agent of this type is its answer; an agent of another type answers by a call. */
export const answersByText = (agentType: string): boolean => ANSWER_BY_TEXT.includes(agentType)

/** How rows of an agent of this type become messages of the wire. */
export function fanOutOf(agentType: string, options: AssistantOptions = {}): FanOut {
  const tool = {
    name: options.assistant_message_tool_name ?? ASSISTANT_TOOL.name,
    argument: options.assistant_message_tool_kwarg ?? ASSISTANT_TOOL.argument,
  }
  return {
    textIsAnswer: answersByText(agentType),
    assistantTool: options.use_assistant_message === false ? undefined : tool,
    summaries: options.include_compaction_messages === true,
  }
}

/** The id of a part of a message: the message's UUID with the part's number in its last seven bits. */
export function partOtid(messageId: string, part: number): string {
  const uuid = messageId.slice(-36)
  const last = (Number.parseInt(uuid.slice(-2), 16) & 0x80) | (part & 0x7f)
  return uuid.slice(0, -2) + last.toString(16).padStart(2, '0')
}

/** A call as the wire has it. */
const wireCall = ({ id, function: { name, arguments: input } }: StoredCall) => ({
  name,
  arguments: input,
  tool_call_id: id,
})

const wireReturn = (stored: StoredReturn) => ({
  type: 'tool' as const,
  tool_return: unpackReturn(stored),
  status: stored.status,
  tool_call_id: stored.tool_call_id,
  stdout: stored.stdout ?? undefined,
  stderr: stored.stderr ?? undefined,
})

function calls(list: readonly StoredCall[]) {
  const tool_calls = list.map(wireCall)
  return { tool_call: tool_calls[0], tool_calls }
}

/** The message inside the call of an assistant tool; undefined for any other call. */
function answerIn({ function: { name, arguments: input } }: StoredCall, tool: FanOut['assistantTool']) {
  if (!tool || name !== tool.name) return undefined
  try {
    const answer = (JSON.parse(input) as Record<string, unknown>)[tool.argument]
    // An agent with a response format answers with JSON.
    return typeof answer === 'object' && answer !== null
      ? spacedJson(answer)
      : typeof answer === 'string'
        ? answer
        : undefined
  } catch {
    return undefined
  }
}

type Fields = { message_type: MessageType; [field: string]: unknown }

/** The reasoning of a content part; undefined for other parts. */
function reasoningOf(part: ContentPart): Fields | undefined {
  const source = 'reasoner_model'
  switch (part.type) {
    case 'reasoning':
      return { message_type: 'reasoning_message', source, reasoning: part.reasoning, signature: part.signature }
    case 'summarized_reasoning': {
      const reasoning = (part.summary as { text: string }[]).map(({ text }) => text).join('\n\n')
      return { message_type: 'reasoning_message', source, reasoning }
    }
    case 'redacted_reasoning':
      return { message_type: 'hidden_reasoning_message', state: 'redacted', hidden_reasoning: part.data }
    case 'omitted_reasoning':
      return { message_type: 'hidden_reasoning_message', state: 'omitted' }
    default:
      return undefined
  }
}

/** Text parts side by side, as one text. */
function partsOf(content: readonly ContentPart[]): ContentPart[] {
  const parts: ContentPart[] = []
  for (const part of content) {
    const last = parts.at(-1)
    if (part.type === 'text' && last?.type === 'text')
      parts[parts.length - 1] = { ...last, text: `${last.text}${part.text}` }
    else parts.push(part)
  }
  return parts
}

function contentFields(content: readonly ContentPart[], { textIsAnswer }: FanOut): Fields[] {
  return partsOf(content).flatMap((part): Fields[] => {
    const reasoning = reasoningOf(part)
    if (part.type !== 'text') return reasoning ? [reasoning] : []
    if (!part.text) return []
    return [
      textIsAnswer
        ? { message_type: 'assistant_message', content: part.text }
        : { message_type: 'reasoning_message', source: 'non_reasoner_model', reasoning: part.text },
    ]
  })
}

function callFields(list: readonly StoredCall[], { assistantTool }: FanOut): Fields[] {
  const fields: Fields[] = []
  const shown: StoredCall[] = []
  for (const call of list) {
    const answer = answerIn(call, assistantTool)
    if (answer === undefined) shown.push(call)
    else fields.push({ message_type: 'assistant_message', content: answer })
  }
  return shown.length > 0 ? [...fields, { message_type: 'tool_call_message', ...calls(shown) }] : fields
}

function returnFields({ tool_returns, name }: StoredMessage, { assistantTool }: FanOut): Fields[] {
  const returns = (tool_returns ?? []).map(wireReturn)
  const [first] = returns
  if (!first || (assistantTool && name === assistantTool.name)) return []
  const { type: _, ...deprecated } = first
  return [
    {
      message_type: 'tool_return_message',
      ...deprecated,
      tool_return: asText(first.tool_return),
      tool_returns: returns,
    },
  ]
}

/** A message with images in full, or as plain text where it has text alone. */
const userContent = (content: ContentPart[]) =>
  content.every(({ type }) => type === 'text') ? unpackUser(content) : content

function summaryFields({ id, content }: StoredMessage): Fields {
  const { summary, stats } = unpackSummary(content)
  return { message_type: 'summary_message', otid: partOtid(id, 0), summary, compaction_stats: stats }
}

function fieldsOf(row: StoredMessage, options: FanOut): Fields[] {
  const { role, content, approvals, approve, approval_request_id, denial_reason } = row
  switch (role) {
    case 'system':
      return [{ message_type: 'system_message', content: asText(content) }]
    case 'summary':
      if (options.summaries) return [summaryFields(row)]
      return [{ message_type: 'user_message', content: asText(content) }]
    case 'user':
      return [{ message_type: 'user_message', content: userContent(content) }]
    case 'tool':
    case 'function':
      return returnFields(row, options)
    case 'approval':
      if (row.tool_calls?.length) {
        return [
          ...contentFields(content, options),
          { message_type: 'approval_request_message', otid: row.id, ...calls(row.tool_calls) },
        ]
      }
      return [
        {
          message_type: 'approval_response_message',
          otid: row.otid ?? undefined,
          approvals: approvals ?? [],
          approve: approve ?? undefined,
          approval_request_id: approval_request_id ?? undefined,
          reason: denial_reason ?? undefined,
        },
      ]
    default:
      return [...contentFields(content, options), ...callFields(row.tool_calls ?? [], options)]
  }
}

/** The messages of the wire that a row stands for, in the order of its parts: one row may hold text and calls. */
export function toMessages(row: StoredMessage, options: FanOut): Message[] {
  const fromCaller = row.role === 'user' || row.role === 'system' || row.role === 'summary'
  const all = fieldsOf(row, options)
  return all.map(
    (fields, part) =>
      ({
        id: row.id,
        date: row.created_at,
        name: row.name ?? undefined,
        otid: fromCaller ? (row.otid ?? undefined) : partOtid(row.id, part),
        sender_id: row.sender_id ?? undefined,
        step_id: row.step_id ?? undefined,
        run_id: row.run_id ?? undefined,
        ...fields,
      }) as Message,
  )
}
