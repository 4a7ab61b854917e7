import { inBody, invalid } from '../../lib/errors.ts'
import type { Input, SendMessages, SentMessage } from '../messages/body.ts'
import type { ChatCompletionRequest, ChatMessage } from './schema.ts'

type Part = Record<string, unknown>

const DATA_URL = /^data:([^;,]+);base64,(.*)$/s

/** A part of a message's content in the terms of agents. 422 for a part that is neither text nor an image. */
function contentPart(part: Part, path: string): Part {
  if (part.type === 'text' || part.type === 'refusal')
    return { type: 'text', text: String(part.text ?? part.refusal ?? '') }
  const { url } = (part.image_url ?? {}) as { url?: unknown }
  if (part.type !== 'image_url' || typeof url !== 'string')
    throw invalid(inBody(path, 'must be a text or an image_url'))
  const [, media_type, data] = DATA_URL.exec(url) ?? []
  return { type: 'image', source: data ? { type: 'base64', media_type, data } : { type: 'url', url } }
}

const contentOf = ({ content }: ChatMessage, path: string): string | Part[] =>
  typeof content === 'string' ? content : (content ?? []).map((part) => contentPart(part, path))

const textOf = (message: ChatMessage, path: string): string => {
  const content = contentOf(message, path)
  return typeof content === 'string' ? content : content.map(({ text }) => text ?? '').join('')
}

/** A message of the history as an agent gets it. Calls and returns of another agent's tools become text. */
function sentMessage(message: ChatMessage, path: string): SentMessage[] {
  const { role, name, tool_calls: calls = [] } = message
  if (role === 'tool' || role === 'function')
    return [{ role: 'user', content: `[tool return] ${textOf(message, path)}` }]
  const called = (calls ?? []).map(({ function: { name, arguments: input } }) => `[called ${name}: ${input}]`)
  const content = called.length > 0 ? [textOf(message, path), ...called].join('\n').trim() : contentOf(message, path)
  if (content.length === 0) return []
  return [{ role: role === 'developer' ? 'system' : role, content, ...(name && { name }) }]
}

/**
 * The messages to an agent, from those of a history that it doesn't know. `waits`: the ids of the calls that wait for their
 * caller's returns. 422 for a history that ends with an answer of the agent.
 */
export function sendBody(
  { messages, tools, tool_choice, override_model }: ChatCompletionRequest,
  known: number,
  waits: readonly string[],
): SendMessages {
  const indexed = messages.map((message, at) => ({ message, path: `messages[${at}].content` })).slice(known)
  if (!indexed.some(({ message }) => message.role !== 'assistant')) {
    throw invalid(inBody('messages', 'must end with a message that the agent has not answered yet'))
  }
  const isReturn = ({ role, tool_call_id }: ChatMessage) => role === 'tool' && waits.includes(tool_call_id ?? '')
  const returns = indexed
    .filter(({ message }) => isReturn(message))
    .map(({ message, path }) => ({
      tool_call_id: message.tool_call_id!,
      tool_return: textOf(message, path),
      status: 'success' as const,
    }))
  const sent = indexed
    .filter(({ message }) => !isReturn(message))
    .flatMap(({ message, path }) => sentMessage(message, path))
  const inputs: Input[] = [
    ...(returns.length > 0 ? [{ type: 'tool_return' as const, tool_returns: returns }] : []),
    ...sent,
  ]
  return {
    messages: inputs,
    client_tools: tool_choice === 'none' ? [] : (tools ?? []).map(({ function: { strict: _, ...tool } }) => tool),
    ...(override_model && { override_model }),
  }
}
