import type { Json, Shape } from '../shape.ts'
import { checkArguments, checkLength, checkName, checkNotEmpty, invalid } from './refusals.ts'

const TEXT: Shape = { fields: { 'type!': 'string', 'text!': 'string' } }
const TEXTS: Shape = { either: ['string', { list: { tag: 'type', of: { text: TEXT } } }] }
const PARTS: Shape = {
  either: [
    'string',
    {
      list: {
        tag: 'type',
        of: {
          text: TEXT,
          image_url: {
            fields: {
              'type!': 'string',
              'image_url!': { fields: { 'url!': 'string', detail: ['auto', 'low', 'high'] } },
            },
          },
          input_audio: { fields: { 'type!': 'string', 'input_audio!': 'object' } },
          file: { fields: { 'type!': 'string', 'file!': 'object' } },
        },
      },
    },
  ],
}

export const TOOL_CALLS: Shape = {
  list: {
    fields: {
      'id!': 'string',
      'type!': ['function'],
      'function!': { fields: { 'name!': 'string', 'arguments!': 'string' } },
    },
  },
}

const SAID: Shape = { fields: { 'role!': 'string', 'content!': TEXTS, name: 'string' } }

export const MESSAGES: Shape = {
  list: {
    tag: 'role',
    of: {
      system: SAID,
      assistant: {
        fields: {
          'role!': 'string',
          content: {
            either: [
              'string',
              {
                list: {
                  tag: 'type',
                  of: { text: TEXT, refusal: { fields: { 'type!': 'string', 'refusal!': 'string' } } },
                },
              },
            ],
          },
          refusal: 'string',
          name: 'string',
          audio: 'object',
          tool_calls: TOOL_CALLS,
        },
      },
      user: { fields: { 'role!': 'string', 'content!': PARTS, name: 'string' } },
      function: { fields: { 'role!': 'string', 'content!': 'string', 'name!': 'string' } },
      tool: { fields: { 'role!': 'string', 'content!': TEXTS, 'tool_call_id!': 'string' } },
      developer: SAID,
    },
  },
}

const NOT_BEHIND_CALLS =
  "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'."

/** The texts by which providers that speak this wire refuse a broken sequence of calls and results. */
export interface SequenceRefusals {
  unanswered(ids: readonly string[], at: number): never
  stray(at: number): never
  unknownId(id: string, at: number): never
  duplicate(id: string, first: number, at: number): never
}

const REFUSALS: SequenceRefusals = {
  unanswered: (ids, at) =>
    invalid(
      "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. " +
        `The following tool_call_ids did not have response messages: ${ids.join(', ')}`,
      `messages.[${at}].role`,
    ),
  stray: (at) => invalid(NOT_BEHIND_CALLS, `messages.[${at}].role`),
  unknownId: (id, at) =>
    invalid(
      `Invalid parameter: 'tool_call_id' of '${id}' not found in 'tool_calls' of previous message.`,
      `messages.[${at}].tool_call_id`,
    ),
  duplicate: (id, first, at) =>
    invalid(
      `Invalid parameter: Duplicate value for 'tool_call_id' of '${id}', in messages[${first}] and messages[${at}].`,
      `messages.[${at}].tool_call_id`,
    ),
}

/** Checks that each call has exactly one result in the messages directly behind it, and each result its call. */
export function checkSequence(messages: Json[], refusals: SequenceRefusals = REFUSALS): void {
  let open: string[] = []
  let answered = new Map<string, number>()
  let behindCalls = false
  const close = (at: number) => {
    const left = open.filter((id) => !answered.has(id))
    if (left.length > 0) refusals.unanswered(left, at)
  }
  for (const [at, message] of messages.entries()) {
    if (message.role === 'tool') {
      const id = message.tool_call_id
      if (!behindCalls) refusals.stray(at)
      if (!open.includes(id)) refusals.unknownId(id, at)
      if (answered.has(id)) refusals.duplicate(id, answered.get(id)!, at)
      answered.set(id, at)
      continue
    }
    close(at)
    open = (message.tool_calls ?? []).map(({ id }: Json) => id)
    answered = new Map()
    behindCalls = open.length > 0
  }
  close(messages.length)
}

/** Checks the messages of a request whose shape is right. */
export function checkMessages(messages: Json[]): void {
  checkNotEmpty(messages, ['messages'])
  for (const [at, { role, content, tool_calls: calls, refusal }] of messages.entries()) {
    if (Array.isArray(content)) checkNotEmpty(content, ['messages', at, 'content'])
    if (calls) checkNotEmpty(calls, ['messages', at, 'tool_calls'])
    if (role === 'assistant' && content == null && !calls && refusal == null) {
      invalid("Invalid value for 'content': expected a string, got null.", `messages.[${at}].content`)
    }
    for (const [index, call] of (calls ?? []).entries()) {
      const path = ['messages', at, 'tool_calls', index]
      checkLength(call.id, 40, [...path, 'id'])
      checkName(call.function.name, [...path, 'function', 'name'])
      checkArguments(call.function.arguments, [...path, 'function', 'arguments'])
    }
  }
  checkSequence(messages)
}
