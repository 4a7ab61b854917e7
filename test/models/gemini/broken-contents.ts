import type { Broken } from '../broken.ts'
import type { Json } from '../shape.ts'
import { seal } from '../signature.ts'

const user = (...parts: Json[]) => ({ role: 'user', parts: parts.length > 0 ? parts : [{ text: 'Roll.' }] })
const model = (...parts: Json[]) => ({ role: 'model', parts })
const thoughtSignature = seal('gemini', '00000001')
const call = (more: Json = {}) => ({ functionCall: { name: 'roll', args: {} }, thoughtSignature, ...more })
const unsigned = { functionCall: { name: 'roll', args: {} } }
const response = (more: Json = {}) => ({ functionResponse: { name: 'roll', response: { content: '5' }, ...more } })
const chat = (...contents: Json[]) => ({ contents })
const withTool = (parameters: Json, more: Json = {}) => ({
  ...chat(user()),
  tools: [{ functionDeclarations: [{ name: 'roll', description: 'Rolls.', parameters, ...more }] }],
})
const at = 'GenerateContentRequest.tools[0].function_declarations[0].parameters'
const BAD_NAME =
  'Invalid function name. Must start with a letter or an underscore. Must be alphameric (a-z, A-Z, 0-9), underscores (_), dots (.) or dashes (-), with a maximum length of 64.'
const UNEQUAL =
  'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.'

/** A request with every kind of part: `gemini-3-pro-preview` accepts it. */
export const VALID_CONTENTS = {
  ...chat(
    user(),
    model({ text: 'Dice.', thought: true }, { text: 'Twice.' }, call(), unsigned),
    user(response(), response()),
    model({ text: '5 and 5.' }),
    user(),
    model(unsigned),
    user(response()),
    user({ text: 'Again.' }, { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } }),
    model(call()),
    user(response()),
  ),
  systemInstruction: { parts: [{ text: 'Be brief.' }] },
  tools: [
    {
      functionDeclarations: [
        {
          name: 'roll',
          description: 'Rolls.',
          parameters: { type: 'object', properties: { sides: { type: 'integer' } }, required: ['sides'] },
        },
      ],
    },
  ],
  toolConfig: { functionCallingConfig: { mode: 'AUTO' } },
  generationConfig: { maxOutputTokens: 100, thinkingConfig: { thinkingLevel: 'low', includeThoughts: true } },
}

/** Requests that Gemini refuses. */
export const BROKEN_CONTENTS: readonly Broken[] = [
  ['a call without a response', chat(user(), model(call()), user()), UNEQUAL],
  ['a call at the end', chat(user(), model(call())), UNEQUAL],
  ['one of two calls without a response', chat(user(), model(call(), unsigned), user(response())), UNEQUAL],
  ['two responses of one call', chat(user(), model(call()), user(response(), response())), UNEQUAL],
  [
    'a response without a call',
    chat(user(response())),
    'Please ensure that function response turn comes immediately after a function call turn.',
  ],
  [
    'a response behind another message',
    chat(user(), model(call()), user(response()), user(response())),
    'Please ensure that function response turn comes immediately after a function call turn.',
  ],
  [
    'a call behind an answer',
    chat(user(), model({ text: 'Hm.' }), model(call()), user(response())),
    'Please ensure that function call turn comes immediately after a user turn or after a function response turn.',
  ],
  [
    'a call first',
    chat(model(call()), user(response())),
    'Please ensure that function call turn comes immediately after a user turn or after a function response turn.',
  ],
  [
    'a call without its signature',
    chat(user(), model(unsigned), user(response())),
    'Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call `default_api:roll` , position 2. Please refer to https://ai.google.dev/gemini-api/docs/thought-signatures for more details.',
  ],
  [
    'a second step without its signature',
    chat(user(), model(call()), user(response()), model(unsigned), user(response())),
    /`default_api:roll` , position 4\./,
  ],
  [
    'a foreign signature',
    chat(user(), model(call({ thoughtSignature: 'AAAA' })), user(response())),
    'Corrupted thought signature.',
  ],
  [
    'a signature that is no base64',
    chat(user(), model(call({ thoughtSignature: '§' })), user(response())),
    `Invalid value at 'contents[1].parts[0].thought_signature' (TYPE_BYTES), Base64 decoding failed for "§"`,
  ],
  [
    'an empty message',
    chat(user(), model(), user()),
    '* GenerateContentRequest.contents[1].parts: contents.parts must not be empty.\n',
  ],
  [
    'an empty part',
    chat(user({})),
    "* GenerateContentRequest.contents[0].parts[0].data: required oneof field 'data' must have one initialized field\n",
  ],
  [
    'an empty text',
    chat(user({ text: '' })),
    "* GenerateContentRequest.contents[0].parts[0].data: required oneof field 'data' must have one initialized field\n",
  ],
  [
    'a part with two things',
    chat(user({ text: 'Hi.', ...response() })),
    /oneof field 'data' is already set\. Cannot set 'functionResponse'/,
  ],
  ['no contents', chat(), '* GenerateContentRequest.contents: contents is not specified\n'],
  ['contents left out', {}, '* GenerateContentRequest.contents: contents is not specified\n'],
  ['another role', chat({ role: 'assistant', parts: [{ text: 'Hi.' }] }), 'Please use a valid role: user, model.'],
  [
    'a name with a space',
    chat(user(), model({ functionCall: { name: 'roll dice' } }), user(response())),
    `* GenerateContentRequest.contents[1].parts[0].function_call.name: ${BAD_NAME}\n`,
  ],
  [
    'an empty name',
    chat(user(), model(call()), user(response({ name: '' }))),
    '* GenerateContentRequest.contents[2].parts[0].function_response.name: Name cannot be empty.\n',
  ],
  [
    'arguments that are a text',
    chat(user(), model({ functionCall: { name: 'roll', args: '{}' } }), user(response())),
    `Invalid value at 'contents[1].parts[0].function_call.args' (type.googleapis.com/google.protobuf.Struct), "{}"`,
  ],
  [
    'a response that is a text',
    chat(user(), model(call()), user(response({ response: '5' }))),
    `Invalid value at 'contents[2].parts[0].function_response.response' (type.googleapis.com/google.protobuf.Struct), "5"`,
  ],
  [
    'an unknown setting',
    { ...chat(user()), max_tokens: 5 },
    'Invalid JSON payload received. Unknown name "max_tokens": Cannot find field.',
  ],
  [
    'an unknown field of a part',
    chat(user({ text: 'Hi.', type: 'text' })),
    `Invalid JSON payload received. Unknown name "type" at 'contents[0].parts[0]': Cannot find field.`,
  ],
  [
    'a keyword that schemas lack',
    withTool({ type: 'object', properties: { a: { type: 'string' } }, additionalProperties: false }),
    `Invalid JSON payload received. Unknown name "additionalProperties" at 'tools[0].function_declarations[0].parameters': Cannot find field.`,
  ],
  [
    'a type of two',
    withTool({ type: 'object', properties: { a: { type: ['string', 'null'] } } }),
    `Invalid JSON payload received. Unknown name "type" at 'tools[0].function_declarations[0].parameters.properties[0].value': Proto field is not repeating, cannot start list.`,
  ],
  [
    'a list of unknown items',
    withTool({ type: 'object', properties: { all: { type: 'array' } } }),
    `* ${at}.properties[all].items: missing field.\n`,
  ],
  [
    'parameters without any',
    withTool({ type: 'object', properties: {} }),
    `* ${at}.properties: should be non-empty for OBJECT type\n`,
  ],
  [
    'a required parameter that is not there',
    withTool({ type: 'object', properties: { a: { type: 'string' } }, required: ['b'] }),
    `* ${at}.required[0]: property is not defined\n`,
  ],
  [
    'numbers to choose from',
    withTool({ type: 'object', properties: { a: { type: 'integer', enum: [1] } } }),
    `* ${at}.properties[a].enum: only allowed for STRING type\n`,
  ],
  [
    'a name of a tool with a digit first',
    withTool({ type: 'object', properties: { a: { type: 'string' } } }, { name: '21st' }),
    `* GenerateContentRequest.tools[0].function_declarations[0].name: ${BAD_NAME}\n`,
  ],
  [
    'a choice without tools',
    { ...chat(user()), toolConfig: { functionCallingConfig: { mode: 'ANY' } } },
    'Function calling config is set without function_declarations.',
  ],
  [
    'a budget and a level of thinking',
    { ...chat(user()), generationConfig: { thinkingConfig: { thinkingBudget: 100, thinkingLevel: 'low' } } },
    'You can only set only one of thinking budget and thinking level.',
  ],
]
