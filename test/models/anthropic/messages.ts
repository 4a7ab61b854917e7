import type { Json } from '../shape.ts'
import { isSealed, sign } from '../signature.ts'
import { checkPattern, invalid } from './refusals.ts'

/** The content of a message as blocks. */
export const blocksOf = ({ content }: Json): Json[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : content

const idsOf = (message: Json, type: string, field: string): string[] =>
  message
    ? blocksOf(message)
        .filter((block) => block.type === type)
        .map((block) => block[field])
    : []

function checkRoles(messages: Json[]): void {
  if (messages.length === 0) invalid('messages: at least one message is required')
  for (const [at, { role }] of messages.entries()) {
    if (role === 'system') {
      const hint = 'The Messages API accepts a top-level `system` parameter, not "system" as an input message role.'
      invalid(`messages: Unexpected role "system". ${hint}`)
    }
    if (role !== 'user' && role !== 'assistant') {
      invalid(`messages: Unexpected role "${role}". Allowed roles are "user" or "assistant"`)
    }
    if (at === 0 && role !== 'user') invalid('messages: first message must use the "user" role')
    if (messages[at - 1]?.role === role) {
      invalid(
        `messages: roles must alternate between "user" and "assistant", but found multiple "${role}" roles in a row`,
      )
    }
  }
}

function checkTexts(messages: Json[]): void {
  for (const [at, message] of messages.entries()) {
    const optional = at === messages.length - 1 && message.role === 'assistant'
    if (message.content.length === 0 && !optional) {
      invalid(
        `messages.${at}: all messages must have non-empty content except for the optional final assistant message`,
      )
    }
    for (const block of blocksOf(message)) {
      const inner = Array.isArray(block.content) ? block.content : []
      for (const { type, text } of [block, ...inner]) {
        if (type === 'text' && text === '') invalid('messages: text content blocks must be non-empty')
        if (type === 'text' && text.trim() === '')
          invalid('messages: text content blocks must contain non-whitespace text')
      }
    }
    const last = blocksOf(message).at(-1)
    if (optional && last?.type === 'text' && /\s$/.test(last.text)) {
      invalid('messages: final assistant content cannot end with trailing whitespace')
    }
  }
}

/** The number of results that a message begins with. */
const leadingResults = (message: Json) => {
  const first = blocksOf(message).findIndex(({ type }) => type !== 'tool_result')
  return first < 0 ? blocksOf(message).length : first
}

/** Checks that each call has one result at the beginning of the next message, and each result its call. */
function checkCalls(messages: Json[]): void {
  const seen = new Set<string>()
  for (const [at, message] of messages.entries()) {
    for (const [index, { type, id }] of blocksOf(message).entries()) {
      if (type !== 'tool_use') continue
      checkPattern(id, /^[a-zA-Z0-9_-]+$/, ['messages', at, 'content', index, 'tool_use', 'id'])
      if (seen.has(id)) invalid(`messages.${at}.content.${index}: \`tool_use\` ids must be unique`)
      seen.add(id)
    }
    const expected = idsOf(messages[at - 1], 'tool_use', 'id')
    const given = idsOf(message, 'tool_result', 'tool_use_id')
    for (const [index, { type, tool_use_id: id }] of blocksOf(message).entries()) {
      if (type !== 'tool_result') continue
      const where = `messages.${at}.content.${index}`
      if (!expected.includes(id)) {
        invalid(
          `${where}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must ` +
            'have a corresponding `tool_use` block in the previous message.',
        )
      }
      if (given.indexOf(id) < given.lastIndexOf(id)) {
        invalid(
          `${where}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${id}`,
        )
      }
    }
    const uses = idsOf(message, 'tool_use', 'id')
    const next = messages[at + 1]
    const answered = next
      ? idsOf({ content: blocksOf(next).slice(0, leadingResults(next)) }, 'tool_result', 'tool_use_id')
      : []
    const left = uses.filter((id) => !answered.includes(id))
    if (left.length > 0) {
      invalid(
        `messages.${at}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${left.join(', ')}. ` +
          'Each `tool_use` block must have a corresponding `tool_result` block in the next message.',
      )
    }
  }
}

function checkSignatures(messages: Json[], model: string): void {
  for (const [at, message] of messages.entries()) {
    for (const [index, block] of blocksOf(message).entries()) {
      const where = `messages.${at}.content.${index}`
      if (block.type === 'thinking' && block.signature !== sign(`anthropic ${model}`, block.thinking)) {
        invalid(`${where}: Invalid \`signature\` in \`thinking\` block`)
      }
      if (block.type === 'redacted_thinking' && !isSealed('anthropic', block.data)) {
        invalid(`${where}: Invalid \`data\` in \`redacted_thinking\` block`)
      }
    }
  }
}

/** With thinking on, the turn that the request goes on with has to begin with thinking. */
function checkThinkingFirst(messages: Json[]): void {
  const question = messages.findLastIndex(
    (message) => message.role === 'user' && blocksOf(message).some(({ type }) => type !== 'tool_result'),
  )
  const first = messages[question + 1]
  if (first?.role !== 'assistant') return
  const found = blocksOf(first)[0]?.type
  if (found === 'thinking' || found === 'redacted_thinking') return
  invalid(
    `messages.${question + 1}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${found}\`. When ` +
      '`thinking` is enabled, a final `assistant` message must start with a thinking block (preceeding the lastmost set of ' +
      '`tool_use` and `tool_result` blocks). We recommend you include thinking blocks from previous turns. To avoid this ' +
      'requirement, disable `thinking`. Please consult our documentation at ' +
      'https://docs.claude.com/en/docs/build-with-claude/extended-thinking',
  )
}

/**
 * Checks the messages of a request whose shape is right. Roles alternate: today's API joins messages of one role, but those of
 * other hosts of the same models don't.
 */
export function checkMessages({ messages, model, thinking }: Json): void {
  checkRoles(messages)
  checkTexts(messages)
  checkCalls(messages)
  checkSignatures(messages, model)
  if (thinking && thinking.type !== 'disabled') checkThinkingFirst(messages)
}
