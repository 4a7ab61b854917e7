import type { Broken } from '../broken.ts'
import type { Json } from '../shape.ts'

const call = (id = 'call_1', name = 'roll', given: unknown = '{"sides": 6}') => ({
  id,
  type: 'function',
  function: { name, arguments: given },
})
const user = { role: 'user', content: 'Roll.' }
const calls = (...tool_calls: Json[]) => ({ role: 'assistant', content: null, tool_calls })
const result = (tool_call_id = 'call_1') => ({ role: 'tool', tool_call_id, content: '5' })
const chat = (...messages: Json[]) => ({ model: 'gpt-4o-mini', messages })
const tool = (more: Json, strict = false) => ({ type: 'function', function: { name: 'roll', strict, ...more } })
const withTool = (more: Json, strict?: boolean) => ({ ...chat(user), tools: [tool(more, strict)] })
const sides = { sides: { type: 'integer' } }

/** A chat with every kind of message: the stub accepts it. */
export const VALID_CHAT = {
  ...chat(
    { role: 'system', content: 'Be brief.' },
    user,
    calls(call('call_1'), call('call_2')),
    result('call_2'),
    result('call_1'),
    { role: 'assistant', content: 'Twice 5.' },
    { role: 'user', content: [{ type: 'text', text: 'Again.' }] },
  ),
  tools: [
    tool({ parameters: { type: 'object', properties: sides, required: ['sides'], additionalProperties: false } }, true),
  ],
}

/** Chats that OpenAI refuses. */
export const BROKEN_CHATS: readonly Broken[] = [
  [
    'a call without a result',
    chat(user, calls(call()), user),
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: call_1",
  ],
  [
    'one of two calls without a result',
    chat(user, calls(call(), call('call_2')), result()),
    /did not have response messages: call_2$/,
  ],
  [
    'a result behind a message that comes behind its call',
    chat(user, calls(call()), user, result()),
    /did not have response messages: call_1$/,
  ],
  [
    'a result without a call',
    chat(user, result()),
    "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
  ],
  [
    'a result of another call',
    chat(user, calls(call()), result('call_9')),
    "Invalid parameter: 'tool_call_id' of 'call_9' not found in 'tool_calls' of previous message.",
  ],
  [
    'two results of one call',
    chat(user, calls(call()), result(), result()),
    "Invalid parameter: Duplicate value for 'tool_call_id' of 'call_1', in messages[2] and messages[3].",
  ],
  [
    'an empty list of calls',
    chat(user, calls()),
    "Invalid 'messages[1].tool_calls': empty array. Expected an array with minimum length 1, but got an empty array instead.",
  ],
  [
    'a long id of a call',
    chat(user, calls(call('c'.repeat(41)))),
    "Invalid 'messages[1].tool_calls[0].id': string too long. Expected a string with maximum length 40, but got a string with length 41 instead.",
  ],
  [
    'a name with a space',
    chat(user, calls(call('call_1', 'roll dice')), result()),
    "Invalid 'messages[1].tool_calls[0].function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.",
  ],
  [
    'a long name',
    withTool({ name: 'r'.repeat(65) }),
    "Invalid 'tools[0].function.name': string too long. Expected a string with maximum length 64, but got a string with length 65 instead.",
  ],
  [
    'cut arguments',
    chat(user, calls(call('call_1', 'roll', '{"sides": ')), result()),
    /^Failed to parse tool call arguments as JSON: /,
  ],
  [
    'arguments that are a list',
    chat(user, calls(call('call_1', 'roll', '[6]')), result()),
    'Failed to parse tool call arguments as JSON: the arguments are not an object',
  ],
  [
    'arguments that are no text',
    chat(user, calls(call('call_1', 'roll', { sides: 6 })), result()),
    "Invalid type for 'messages[1].tool_calls[0].function.arguments': expected a string, but got an object instead.",
  ],
  [
    'no messages',
    { ...chat(), messages: [] },
    "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.",
  ],
  ['messages left out', { model: 'gpt-4o-mini' }, "Missing required parameter: 'messages'."],
  ['the model left out', { messages: [user] }, 'you must provide a model parameter'],
  [
    'an unknown role',
    chat({ role: 'model', content: 'Hi.' }),
    "Invalid value: 'model'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'.",
  ],
  [
    'an answer without content',
    chat(user, { role: 'assistant', content: null }),
    "Invalid value for 'content': expected a string, got null.",
  ],
  [
    'an empty list of content',
    chat({ role: 'user', content: [] }),
    "Invalid 'messages[0].content': empty array. Expected an array with minimum length 1, but got an empty array instead.",
  ],
  [
    'content that is an object',
    chat({ role: 'user', content: { text: 'Hi.' } }),
    "Invalid type for 'messages[0].content': expected one of a string or an array, but got an object instead.",
  ],
  [
    'thinking of another provider',
    chat(user, { role: 'assistant', content: 'Hi.', reasoning_content: '' }),
    "Unknown parameter: 'messages[1].reasoning_content'.",
  ],
  ['an unknown setting', { ...chat(user), num_ctx: 8192 }, 'Unrecognized request argument supplied: num_ctx'],
  [
    'a temperature of 3',
    { ...chat(user), temperature: 3 },
    "Invalid 'temperature': decimal above maximum value. Expected a value <= 2, but got 3 instead.",
  ],
  [
    'no tokens',
    { ...chat(user), max_tokens: 0 },
    "Invalid 'max_tokens': integer below minimum value. Expected a value >= 1, but got 0 instead.",
  ],
  [
    'reasoning of a model that has none',
    { ...chat(user), reasoning_effort: 'low' },
    'Unrecognized request argument supplied: reasoning_effort',
  ],
  [
    'the old name of the limit for a model that reasons',
    { ...chat(user), model: 'gpt-5-mini', max_tokens: 5 },
    "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
  ],
  [
    'a temperature for a model that reasons',
    { ...chat(user), model: 'gpt-5-mini', temperature: 0.5 },
    "Unsupported value: 'temperature' does not support 0.5 with this model. Only the default (1) value is supported.",
  ],
  [
    'usage asked for without a stream',
    { ...chat(user), stream_options: { include_usage: true } },
    "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
  ],
  [
    'a choice without tools',
    { ...chat(user), tool_choice: 'required' },
    "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified.",
  ],
  [
    'an empty list of tools',
    { ...chat(user), tools: [] },
    "Invalid 'tools': empty array. Expected an array with minimum length 1, but got an empty array instead.",
  ],
  [
    'parameters that are no object',
    withTool({ parameters: { type: 'string' } }),
    `Invalid schema for function 'roll': schema must be a JSON Schema of 'type: "object"', got 'type: "string"'.`,
  ],
  [
    'parameters without properties',
    withTool({ parameters: { type: 'object' } }),
    "Invalid schema for function 'roll': In context=(), object schema missing properties.",
  ],
  [
    'a choice among parameters',
    withTool({ parameters: { type: 'object', properties: {}, anyOf: [{}] } }),
    "Invalid schema for function 'roll': schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level.",
  ],
  [
    'a list of unknown items',
    withTool({ parameters: { type: 'object', properties: { all: { type: 'array' } } } }),
    "Invalid schema for function 'roll': In context=('properties', 'all'), array schema missing items.",
  ],
  [
    'a strict schema that is open',
    withTool({ parameters: { type: 'object', properties: sides, required: ['sides'] } }, true),
    "Invalid schema for function 'roll': In context=(), 'additionalProperties' is required to be supplied and to be false.",
  ],
  [
    'a strict schema with an optional parameter',
    withTool({ parameters: { type: 'object', properties: sides, required: [], additionalProperties: false } }, true),
    "Invalid schema for function 'roll': In context=(), 'required' is required to be supplied and to be an array including every key in properties. Missing 'sides'.",
  ],
]
