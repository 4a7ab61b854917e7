import type { Broken } from '../broken.ts'
import type { Json } from '../shape.ts'

const user = { role: 'user', content: 'Roll.' }
const call = (more: Json = {}) => ({ type: 'function_call', call_id: 'call_1', name: 'roll', arguments: '{}', ...more })
const output = (call_id = 'call_1') => ({ type: 'function_call_output', call_id, output: '5' })
const respond = (...input: Json[]) => ({ model: 'gpt-5-mini', input })
const tool = (parameters: Json, strict = false) => ({ type: 'function', name: 'roll', parameters, strict })
const thought = { type: 'reasoning', id: 'rs_1', summary: [] }

/** A request with every kind of item: the stub accepts it. */
export const VALID_RESPONSE = {
  ...respond(
    { role: 'developer', content: 'Be brief.' },
    { role: 'user', content: [{ type: 'input_text', text: 'Roll twice.' }] },
    call(),
    call({ call_id: 'call_2', id: 'fc_2' }),
    output('call_2'),
    output(),
    { role: 'assistant', content: [{ type: 'output_text', text: 'Twice 5.' }] },
    user,
  ),
  tools: [tool({ type: 'object', properties: {}, required: [], additionalProperties: false }, true)],
  reasoning: { effort: 'low', summary: 'auto' },
  store: false,
}

/** Requests that OpenAI refuses. */
export const BROKEN_RESPONSES: readonly Broken[] = [
  ['a call without an output', respond(user, call(), user), 'No tool output found for function call call_1.'],
  [
    'an output without a call',
    respond(user, output()),
    'No tool call found for function call output with call_id call_1.',
  ],
  [
    'an output before its call',
    respond(user, output(), call()),
    'No tool call found for function call output with call_id call_1.',
  ],
  ['two outputs of one call', respond(user, call(), output(), output()), "Duplicate 'call_id': call_1"],
  ['two calls with one id', respond(user, call(), call(), output()), "Duplicate 'call_id': call_1"],
  [
    'two items with one id',
    respond(user, call({ id: 'fc_1' }), output(), call({ id: 'fc_1', call_id: 'call_2' }), output('call_2')),
    'Duplicate item found with id fc_1. Remove duplicate items from your input and try again.',
  ],
  [
    'an id of another kind',
    respond(user, call({ id: 'call_1' }), output()),
    "Invalid 'input[1].id': 'call_1'. Expected an ID that begins with 'fc'.",
  ],
  [
    'a long id of a call',
    respond(user, call({ call_id: 'c'.repeat(65) })),
    "Invalid 'input[1].call_id': string too long. Expected a string with maximum length 64, but got a string with length 65 instead.",
  ],
  [
    'a name with a dot',
    respond(user, call({ name: 'dice.roll' }), output()),
    "Invalid 'input[1].name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.",
  ],
  ['cut arguments', respond(user, call({ arguments: '{' }), output()), /^Failed to parse tool call arguments as JSON/],
  [
    'arguments that are no text',
    respond(user, call({ arguments: {} }), output()),
    "Invalid type for 'input[1].arguments': expected a string, but got an object instead.",
  ],
  [
    'reasoning at the end',
    { ...respond(user, { ...thought, encrypted_content: 'cmVhc29u' }), store: false },
    'The encrypted content cmVhc29u could not be verified. Reason: Encrypted content could not be decrypted or parsed.',
  ],
  [
    'reasoning that was not stored',
    { ...respond(user, thought, call(), output()), store: false },
    "Item with id 'rs_1' not found. Items are not persisted when `store` is set to false. Try again with `store` set to true, or remove this item from your input.",
  ],
  [
    'a reference to an item that was not stored',
    respond(user, { type: 'item_reference', id: 'msg_1' }),
    "Item with id 'msg_1' not found. Items are not persisted when `store` is set to false. Try again with `store` set to true, or remove this item from your input.",
  ],
  [
    'no input',
    { model: 'gpt-5-mini' },
    "One of 'input' or 'previous_response_id' or 'prompt' or 'conversation_id' must be provided.",
  ],
  [
    'an empty input',
    respond(),
    "Invalid 'input': empty array. Expected an array with minimum length 1, but got an empty array instead.",
  ],
  [
    'content of a chat',
    respond({ role: 'user', content: [{ type: 'text', text: 'Hi.' }] }),
    "Invalid value: 'text'. Supported values are: 'input_text', 'input_image', 'input_file', 'output_text', and 'refusal'.",
  ],
  ['an unknown setting', { ...respond(user), max_tokens: 5 }, "Unknown parameter: 'max_tokens'."],
  [
    'an unknown field of an item',
    respond(user, { role: 'assistant', content: 'Hi.', tool_calls: [] }),
    "Unknown parameter: 'input[1].tool_calls'.",
  ],
  [
    'a temperature for a model that reasons',
    { ...respond(user), temperature: 0.5 },
    "Unsupported parameter: 'temperature' is not supported with this model.",
  ],
  [
    'reasoning of a model that has none',
    { ...respond(user), model: 'gpt-4o', reasoning: { effort: 'low' } },
    "Unsupported parameter: 'reasoning.effort' is not supported with this model.",
  ],
  [
    'encrypted thinking of a model that has none',
    { ...respond(user), model: 'gpt-4o', include: ['reasoning.encrypted_content'] },
    'Encrypted content is not supported with this model.',
  ],
  [
    'few tokens',
    { ...respond(user), max_output_tokens: 5 },
    "Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but got 5 instead.",
  ],
  [
    'a strict schema that is open',
    { ...respond(user), tools: [tool({ type: 'object', properties: {} }, true)] },
    "Invalid schema for function 'roll': In context=(), 'additionalProperties' is required to be supplied and to be false.",
  ],
]
