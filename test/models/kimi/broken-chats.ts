import type { Broken } from '../broken.ts'
import type { Json } from '../shape.ts'

const call = (id = 'roll:0', name = 'roll', given: unknown = '{}') => ({
  id,
  type: 'function',
  function: { name, arguments: given },
})
const user = { role: 'user', content: 'Roll.' }
const calls = (...tool_calls: Json[]) => ({ role: 'assistant', content: '', reasoning_content: 'Dice.', tool_calls })
const result = (tool_call_id = 'roll:0') => ({ role: 'tool', tool_call_id, content: '5' })
const chat = (...messages: Json[]) => ({ model: 'kimi-k2.6', messages })
const withTool = (parameters: Json, name = 'roll') => ({
  ...chat(user),
  tools: [{ type: 'function', function: { name, parameters } }],
})
const { reasoning_content: _, ...withoutThinking } = calls(call())
const NAME =
  'Invalid request: function name is invalid, must start with a letter and can contain letters, numbers, underscores, and dashes'
const FLAVOR = 'Invalid request: tools.function.parameters is not a valid moonshot flavored json schema, details: '

/** A chat with every kind of message: the stub accepts it. */
export const VALID_KIMI = {
  ...chat(
    { role: 'system', content: 'Be brief.' },
    user,
    calls(call(), call('roll:1')),
    result(),
    result('roll:1'),
    { role: 'assistant', content: '5 and 5.' },
    user,
    { ...calls(call('roll:2')), reasoning_content: '' },
    result('roll:2'),
  ),
  tools: [
    {
      type: 'function',
      function: { name: 'roll', parameters: { type: 'object', properties: { sides: { type: 'integer' } } } },
    },
  ],
  thinking: { type: 'enabled', keep: 'all' },
}

/** Chats that Moonshot refuses. */
export const BROKEN_KIMI: readonly Broken[] = [
  [
    'a message with calls without its thinking',
    chat(user, withoutThinking, result()),
    'thinking is enabled but reasoning_content is missing in assistant tool call message at index 1',
  ],
  [
    'a call without a result',
    chat(user, calls(call()), user),
    "Invalid request: an assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: roll:0",
  ],
  [
    'a result without a call',
    chat(user, result()),
    "Invalid request: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'",
  ],
  [
    'a result of another call',
    chat(user, calls(call()), result('roll:9')),
    'Invalid request: tool_call_id is not found',
  ],
  [
    'two results of one call',
    chat(user, calls(call()), result(), result()),
    'Invalid request: tool_call_id roll:0 is duplicated',
  ],
  ['a call without an id', chat(user, calls(call('')), result('')), 'Invalid request: tool_call_id is not found'],
  [
    'an empty answer',
    chat(user, { role: 'assistant', content: '' }, user),
    "Invalid request: the message at position 1 with role 'assistant' must not be empty",
  ],
  [
    'an answer of thinking alone',
    chat(user, { role: 'assistant', content: '', reasoning_content: 'Hm.' }, user),
    "Invalid request: the message at position 1 with role 'assistant' must not be empty",
  ],
  [
    'an empty text',
    chat({ role: 'user', content: [{ type: 'text', text: '' }] }),
    "Invalid request: the message at position 0 with role 'user' must not be empty",
  ],
  [
    'a file',
    chat({ role: 'user', content: [{ type: 'file', file: {} }] }),
    "Invalid request: the message at position 0 with role 'user' contains an invalid part type: file",
  ],
  [
    'the role of a developer',
    chat({ role: 'developer', content: 'Be brief.' }, user),
    'Invalid request: unsupported role ROLE_UNSPECIFIED',
  ],
  ['no messages', chat(), 'Invalid request: messages must not be empty'],
  [
    'cut arguments',
    chat(user, calls(call('roll:0', 'roll', '{"sides')), result()),
    /^Invalid request: Unterminated string in JSON/,
  ],
  ['a name with a digit first', withTool({ type: 'object' }, '21st'), NAME],
  ['a name with a space', chat(user, calls(call('roll:0', 'roll dice')), result()), NAME],
  [
    'parameters that are no object',
    withTool({ properties: {} }),
    'Invalid request: tools.function.parameters.type is required and must be "object"',
  ],
  [
    'a type beside a choice',
    withTool({ type: 'object', properties: { a: { type: 'string', anyOf: [] } } }),
    `${FLAVOR}<At path 'properties.a': when using anyOf, type should be defined in anyOf items instead of the parent schema>`,
  ],
  [
    'a parameter that may be anything',
    withTool({ type: 'object', properties: { a: true } }),
    `${FLAVOR}<At path 'properties': property schema for 'a' must be an object>`,
  ],
  [
    'a temperature',
    { ...chat(user), temperature: 0.7 },
    'Invalid request: invalid temperature: only 1 is allowed for this model',
  ],
  [
    'thinking that is no object',
    { ...chat(user), thinking: true },
    'Invalid request: the thinking field in the request (expected type object) is illegal, and bool is not acceptable',
  ],
  [
    'two settings of thinking',
    { ...chat(user), thinking: { type: 'enabled' }, reasoning_effort: 'low' },
    "Invalid request: cannot specify both 'thinking' and 'reasoning_effort'",
  ],
  [
    'a forced tool beside thinking',
    { ...withTool({ type: 'object' }), tool_choice: 'required' },
    "Invalid request: tool_choice 'specified' is incompatible with thinking enabled",
  ],
]
