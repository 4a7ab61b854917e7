import { randomUUID } from 'node:crypto'
import { createClock, inZone } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import type { MessageCreate } from './body.ts'
import { ASSISTANT_TOOL, answersByText } from './fan-out.ts'
import { asParts, type NewMessage, type NewThread } from './insert.ts'
import { packEvent, packReturn, spacedJson } from './packed.ts'

const textPart = (text: string) => [{ type: 'text', text }]

/** An answer of an agent that answers by a tool: the call, and its return. */
function answered(message: string, time: string, thought?: string): NewMessage[] {
  const { name, argument } = ASSISTANT_TOOL
  const id = randomUUID()
  const input = spacedJson({ [argument]: message })
  const func_response = packReturn('success', 'None', time)
  return [
    {
      id: newId('message'),
      role: 'assistant',
      content: thought === undefined ? [] : textPart(thought),
      tool_calls: [{ id, type: 'function', function: { name, arguments: input } }],
    },
    {
      id: newId('message'),
      role: 'tool',
      name,
      content: textPart(func_response),
      tool_call_id: id,
      tool_returns: [{ tool_call_id: id, status: 'success', func_response }],
    },
  ]
}

/** The messages that show a model how its agent answers by a tool. */
const demonstration = (time: string): NewMessage[] => [
  ...answered('Hello! I am ready.', time, 'I am awake. I check that my messages arrive.'),
  {
    id: newId('message'),
    role: 'user',
    content: textPart(packEvent('login', { last_login: 'Never (first login)' }, time)),
  },
]

/** Agents that answer nobody begin without a demonstration. */
const UNGREETED: readonly string[] = ['voice_sleeptime_agent']

/**
 * The first messages of an agent, behind its system prompt: those of `given`; without it, an agent that answers by a tool has a
 * demonstration. Answers among `given` are calls in such an agent.
 */
export function firstMessages(
  agentType: string,
  timezone: string,
  given?: readonly MessageCreate[] | null,
): NewMessage[] {
  const byText = answersByText(agentType)
  const time = inZone(new Date(), createClock(timezone))
  if (!given) return byText || UNGREETED.includes(agentType) ? [] : demonstration(time)
  return given.flatMap(({ role, content, name, otid, sender_id }) =>
    role === 'assistant' && !byText && typeof content === 'string'
      ? answered(content, time)
      : { id: newId('message'), role, content: asParts(content), name, otid, sender_id },
  )
}

/** The thread of a new agent: its system prompt, then its first messages. */
export function firstThread(
  system: string,
  agentType: string,
  timezone: string,
  given?: readonly MessageCreate[] | null,
): NewThread {
  const prompt = { id: newId('message'), role: 'system', content: asParts(system) }
  const messages = [prompt, ...firstMessages(agentType, timezone, given)]
  return { messages, message_ids: messages.map(({ id }) => id) }
}
