import type { Broken } from '../broken.ts'
import type { Json } from '../shape.ts'
import { sign } from '../signature.ts'

const use = (id = 'toolu_1', more: Json = {}) => ({ type: 'tool_use', id, name: 'roll', input: {}, ...more })
const result = (tool_use_id = 'toolu_1') => ({ type: 'tool_result', tool_use_id, content: '5' })
const text = (said: string) => ({ type: 'text', text: said })
const user = (...content: Json[]) => ({ role: 'user', content: content.length > 0 ? content : 'Roll.' })
const assistant = (...content: Json[]) => ({ role: 'assistant', content })
const chat = (...messages: Json[]) => ({ model: 'claude-sonnet-4-5', max_tokens: 2048, messages })
const tool = (more: Json = {}) => ({ name: 'roll', input_schema: { type: 'object', properties: {} }, ...more })
const thinking = { type: 'enabled', budget_tokens: 1024 }
const thought = (signature?: string) => ({ type: 'thinking', thinking: 'Dice.', ...(signature && { signature }) })
const signed = thought(sign('anthropic claude-sonnet-4-5', 'Dice.'))
const { max_tokens: _, ...withoutLimit } = chat(user())

/** A request with every kind of block: the stub accepts it. */
export const VALID_MESSAGES = {
  ...chat(
    user(),
    assistant(signed, text('Twice.'), use(), use('toolu_2')),
    user(result('toolu_2'), { ...result(), is_error: true }, text('And?')),
    assistant(text('5 and 5.')),
    user(),
    assistant(signed, use('toolu_3')),
    user(result('toolu_3')),
  ),
  system: [{ ...text('Be brief.'), cache_control: { type: 'ephemeral' } }],
  tools: [tool()],
  thinking,
}

/** Requests that Anthropic refuses. */
export const BROKEN_MESSAGES: readonly Broken[] = [
  [
    'a call without a result',
    chat(user(), assistant(use()), user()),
    'messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_1. Each `tool_use` block must have a corresponding `tool_result` block in the next message.',
  ],
  [
    'one of two calls without a result',
    chat(user(), assistant(use(), use('toolu_2')), user(result())),
    /immediately after: toolu_2\./,
  ],
  [
    'a result behind a text',
    chat(user(), assistant(use()), user(text('Well:'), result())),
    /^messages\.1: `tool_use` ids were found without/,
  ],
  ['a call at the end', chat(user(), assistant(use())), /^messages\.1: `tool_use` ids were found without/],
  [
    'a result without a call',
    chat(user(result())),
    'messages.0.content.0: unexpected `tool_use_id` found in `tool_result` blocks: toolu_1. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.',
  ],
  [
    'two results of one call',
    chat(user(), assistant(use()), user(result(), result())),
    'messages.2.content.0: each tool_use must have a single result. Found multiple `tool_result` blocks with id: toolu_1',
  ],
  [
    'two calls with one id',
    chat(user(), assistant(use(), use()), user(result())),
    'messages.1.content.1: `tool_use` ids must be unique',
  ],
  [
    'a call with the id of an earlier one',
    chat(user(), assistant(use()), user(result()), assistant(use()), user(result())),
    'messages.3.content.0: `tool_use` ids must be unique',
  ],
  [
    'an id with a dot',
    chat(user(), assistant(use('roll.1'))),
    "messages.1.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
  ],
  [
    'a name with a space',
    chat(user(), assistant(use('toolu_1', { name: 'roll dice' }))),
    "messages.1.content.0.tool_use.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'",
  ],
  [
    'input that is a text',
    chat(user(), assistant(use('toolu_1', { input: '{}' }))),
    'messages.1.content.0.tool_use.input: Input should be a valid dictionary',
  ],
  [
    'two messages of one role',
    chat(user(), user()),
    'messages: roles must alternate between "user" and "assistant", but found multiple "user" roles in a row',
  ],
  ['an answer first', chat(assistant(text('Hi.')), user()), 'messages: first message must use the "user" role'],
  [
    'a system message',
    chat({ role: 'system', content: 'Be brief.' }, user()),
    'messages: Unexpected role "system". The Messages API accepts a top-level `system` parameter, not "system" as an input message role.',
  ],
  ['no messages', chat(), 'messages: at least one message is required'],
  [
    'an empty message',
    chat(user(), assistant(), user()),
    'messages.1: all messages must have non-empty content except for the optional final assistant message',
  ],
  ['an empty text', chat(user(text(''))), 'messages: text content blocks must be non-empty'],
  ['a text of spaces', chat(user(text(' \n'))), 'messages: text content blocks must contain non-whitespace text'],
  [
    'an empty text in a result',
    chat(user(), assistant(use()), user({ ...result(), content: [text('')] })),
    'messages: text content blocks must be non-empty',
  ],
  [
    'a space at the end of what the model is to go on with',
    chat(user(), assistant(text('It is '))),
    'messages: final assistant content cannot end with trailing whitespace',
  ],
  [
    'thinking without a signature',
    chat(user(), assistant(thought(), text('Hi.')), user()),
    'messages.1.content.0.thinking.signature: Field required',
  ],
  [
    'thinking with a foreign signature',
    chat(user(), assistant(thought('c2ln'), text('Hi.')), user()),
    'messages.1.content.0: Invalid `signature` in `thinking` block',
  ],
  [
    'thinking of another model',
    { ...chat(user(), assistant(signed, text('Hi.')), user()), model: 'claude-opus-4-6' },
    'messages.1.content.0: Invalid `signature` in `thinking` block',
  ],
  [
    'changed thinking',
    chat(user(), assistant({ ...signed, thinking: 'No dice.' }, text('Hi.')), user()),
    'messages.1.content.0: Invalid `signature` in `thinking` block',
  ],
  [
    'hidden thinking of nobody',
    chat(user(), assistant({ type: 'redacted_thinking', data: 'AAAA' }, text('Hi.')), user()),
    'messages.1.content.0: Invalid `data` in `redacted_thinking` block',
  ],
  [
    'a turn without its thinking',
    { ...chat(user(), assistant(use()), user(result())), thinking },
    /^messages\.1\.content\.0\.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`\. When `thinking` is enabled, a final `assistant` message must start with a thinking block/,
  ],
  ['the limit left out', withoutLimit, 'max_tokens: Field required'],
  [
    'a limit over that of the model',
    { ...chat(user()), max_tokens: 64_001 },
    'max_tokens: 64001 > 64000, which is the maximum allowed number of output tokens for claude-sonnet-4-5',
  ],
  ['a limit of nothing', { ...chat(user()), max_tokens: 0 }, 'max_tokens: Input should be greater than or equal to 1'],
  [
    'more thinking than the limit',
    { ...chat(user()), thinking: { ...thinking, budget_tokens: 2048 } },
    /^`max_tokens` must be greater than `thinking\.budget_tokens`\./,
  ],
  [
    'little thinking',
    { ...chat(user()), thinking: { ...thinking, budget_tokens: 1000 } },
    'thinking.enabled.budget_tokens: Input should be greater than or equal to 1024',
  ],
  [
    'a temperature beside thinking',
    { ...chat(user()), thinking, temperature: 0.7 },
    /^`temperature` may only be set to 1 when thinking is enabled\./,
  ],
  ['a temperature of 2', { ...chat(user()), temperature: 2 }, 'temperature: Input should be less than or equal to 1'],
  [
    'a forced tool beside thinking',
    { ...chat(user()), thinking, tools: [tool()], tool_choice: { type: 'any' } },
    'Thinking may not be enabled when tool_choice forces tool use.',
  ],
  ['an unknown setting', { ...chat(user()), seed: 7 }, 'seed: Extra inputs are not permitted'],
  [
    'an unknown field of a message',
    chat({ ...user(), name: 'Ada' }),
    'messages.0.name: Extra inputs are not permitted',
  ],
  [
    'an unknown field of a block',
    chat(user({ ...text('Hi.'), id: 'x' })),
    'messages.0.content.0.text.id: Extra inputs are not permitted',
  ],
  [
    'an unknown block',
    chat(user({ type: 'image_url', image_url: 'x' })),
    /^messages\.0\.content\.0: Input tag 'image_url' found using 'type' does not match any of the expected tags: 'text', 'image'/,
  ],
  ['content that is null', chat({ role: 'user', content: null }), 'messages.0.content: Input should be a valid list'],
  [
    'a tool without a schema',
    { ...chat(user()), tools: [{ name: 'roll' }] },
    'tools.0.custom.input_schema: Field required',
  ],
  [
    'a schema without a type',
    { ...chat(user()), tools: [tool({ input_schema: {} })] },
    'tools.0.custom.input_schema.type: Field required',
  ],
  [
    'a choice among parameters',
    { ...chat(user()), tools: [tool({ input_schema: { type: 'object', anyOf: [] } })] },
    'tools.0.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level',
  ],
  [
    'a schema of an unknown type',
    { ...chat(user()), tools: [tool({ input_schema: { type: 'object', properties: { a: { type: 'any' } } } })] },
    /^tools\.0\.custom\.input_schema: JSON schema is invalid\. It must match JSON Schema draft 2020-12/,
  ],
  [
    'a parameter with a space',
    { ...chat(user()), tools: [tool({ input_schema: { type: 'object', properties: { 'a b': {} } } })] },
    "tools.0.custom.input_schema.properties: Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'",
  ],
  [
    'a long name',
    { ...chat(user()), tools: [tool({ name: 'r'.repeat(129) })] },
    'tools.0.custom.name: String should have at most 128 characters',
  ],
  ['two tools with one name', { ...chat(user()), tools: [tool(), tool()] }, 'tools: Tool names must be unique.'],
  [
    'a choice of an unknown tool',
    { ...chat(user()), tools: [tool()], tool_choice: { type: 'tool', name: 'fly' } },
    "Tool 'fly' not found in provided tools",
  ],
  [
    'five marks of the cache',
    chat(user(...Array.from({ length: 5 }, () => ({ ...text('Hi.'), cache_control: { type: 'ephemeral' } })))),
    'A maximum of 4 blocks with cache_control may be provided. Found 5.',
  ],
  ['an empty system prompt', { ...chat(user()), system: [text('')] }, 'system: text content blocks must be non-empty'],
]
