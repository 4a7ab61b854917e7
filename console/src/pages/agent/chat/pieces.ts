import type { Message, StreamEvent } from '../../../api/generated.ts'

const CONTENT = new Set([
  'user_message',
  'assistant_message',
  'reasoning_message',
  'hidden_reasoning_message',
  'tool_call_message',
  'tool_return_message',
  'approval_request_message',
  'approval_response_message',
  'summary_message',
  'event_message',
  'system_message',
])

/** Whether an event of a stream is a message, or a piece of one. */
export const isMessage = (event: StreamEvent): event is Message => CONTENT.has(event.message_type as string)

/** Pieces of one message have the same key; so has the stored message. */
export const keyOf = (message: Message) => `${message.message_type}:${message.otid ?? message.id}`

interface Call {
  name?: string | null
  arguments?: string | null
  tool_call_id?: string | null
}

/** The tool calls of a message, or of a piece of one. */
export function callsOf(message: Message): Call[] {
  if (message.message_type !== 'tool_call_message' && message.message_type !== 'approval_request_message') return []
  const { tool_calls, tool_call } = message
  const calls = tool_calls ? [tool_calls].flat() : []
  return calls.length > 0 ? calls : tool_call ? [tool_call] : []
}

function joinCalls(calls: Call[], pieces: Call[]): Call[] {
  const joined = [...calls]
  for (const piece of pieces) {
    const index = joined.findIndex((call) => call.tool_call_id === piece.tool_call_id)
    const known = joined[index]
    if (known) {
      joined[index] = {
        ...known,
        name: known.name ?? piece.name,
        arguments: (known.arguments ?? '') + (piece.arguments ?? ''),
      }
    } else joined.push(piece)
  }
  return joined
}

function join(message: Message, piece: Message): Message {
  if (message.message_type === 'assistant_message' && piece.message_type === 'assistant_message') {
    return { ...message, content: `${message.content}${piece.content}` }
  }
  if (message.message_type === 'reasoning_message' && piece.message_type === 'reasoning_message') {
    return { ...message, reasoning: message.reasoning + piece.reasoning }
  }
  if (callsOf(piece).length === 0) return piece
  return { ...message, tool_calls: joinCalls(callsOf(message), callsOf(piece)) } as Message
}

/** Adds an event of a stream to the messages: the first piece begins a message, the others lengthen it. */
export function addPiece(messages: Message[], piece: Message): Message[] {
  const index = messages.findLastIndex((message) => keyOf(message) === keyOf(piece))
  return index < 0 ? [...messages, piece] : messages.with(index, join(messages[index]!, piece))
}
