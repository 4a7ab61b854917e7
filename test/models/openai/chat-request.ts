import { checkShape, type Dialect, type Json, type Shape } from '../shape.ts'
import { checkMessages, MESSAGES } from './chat-messages.ts'
import { checkFunctionSchema } from './function-schema.ts'
import { checkName, checkNotEmpty, checkRange, invalid, OPENAI } from './refusals.ts'

const FUNCTION: Shape = {
  fields: { 'name!': 'string', description: 'string', parameters: 'object', strict: 'boolean' },
}

const FORMAT: Shape = {
  tag: 'type',
  of: {
    text: { fields: { 'type!': 'string' } },
    json_object: { fields: { 'type!': 'string' } },
    json_schema: {
      fields: {
        'type!': 'string',
        'json_schema!': { fields: { 'name!': 'string', description: 'string', schema: 'object', strict: 'boolean' } },
      },
    },
  },
}

const REQUEST: Shape = {
  fields: {
    'model!': 'string',
    'messages!': MESSAGES,
    tools: { list: { tag: 'type', of: { function: { fields: { 'type!': 'string', 'function!': FUNCTION } } } } },
    tool_choice: {
      either: [
        ['none', 'auto', 'required'],
        { fields: { 'type!': ['function'], 'function!': { fields: { 'name!': 'string' } } } },
      ],
    },
    parallel_tool_calls: 'boolean',
    response_format: FORMAT,
    stream: 'boolean',
    stream_options: { fields: { include_usage: 'boolean', include_obfuscation: 'boolean' } },
    max_tokens: 'integer',
    max_completion_tokens: 'integer',
    temperature: 'number',
    top_p: 'number',
    n: 'integer',
    seed: 'integer',
    stop: { either: ['string', { list: 'string' }] },
    frequency_penalty: 'number',
    presence_penalty: 'number',
    logit_bias: 'object',
    logprobs: 'boolean',
    top_logprobs: 'integer',
    reasoning_effort: ['none', 'minimal', 'low', 'medium', 'high', 'xhigh'],
    verbosity: ['low', 'medium', 'high'],
    user: 'string',
    safety_identifier: 'string',
    prompt_cache_key: 'string',
    prompt_cache_retention: 'string',
    service_tier: 'string',
    store: 'boolean',
    metadata: 'object',
    prediction: 'object',
    modalities: { list: 'string' },
    audio: 'object',
    web_search_options: 'object',
  },
}

/** Chat completions word what is wrong at the top level otherwise. */
const CHAT: Dialect = {
  ...OPENAI,
  unknown: (path, field) =>
    path.length > 0 ? OPENAI.unknown(path, field) : invalid(`Unrecognized request argument supplied: ${field}`),
  missing: (path, field) =>
    path.length === 0 && field === 'model'
      ? invalid('you must provide a model parameter')
      : OPENAI.missing(path, field),
}

export const isReasoningModel = (model: string) => /^(o\d|gpt-5)/.test(model) && !model.includes('chat')

/** The settings that a reasoning model refuses. */
function checkReasoningModel(body: Json): void {
  const { model } = body
  if (!isReasoningModel(model)) {
    if (body.reasoning_effort != null) invalid('Unrecognized request argument supplied: reasoning_effort')
    return
  }
  if (body.max_tokens != null) {
    const hint = "Use 'max_completion_tokens' instead."
    const message = `Unsupported parameter: 'max_tokens' is not supported with this model. ${hint}`
    invalid(message, 'max_tokens', 'unsupported_parameter')
  }
  for (const name of ['temperature', 'top_p']) {
    if ((body[name] ?? 1) === 1) continue
    const message = `'${name}' does not support ${body[name]} with this model. Only the default (1) value is supported.`
    invalid(`Unsupported value: ${message}`, name, 'unsupported_value')
  }
}

function checkTools({ tools, tool_choice: choice, parallel_tool_calls: parallel }: Json): void {
  for (const [name, value] of Object.entries({ tool_choice: choice, parallel_tool_calls: parallel })) {
    if (value == null || tools != null || value === 'none') continue
    invalid(`Invalid value for '${name}': '${name}' is only allowed when 'tools' are specified.`, name)
  }
  if (tools == null) return
  checkNotEmpty(tools, ['tools'])
  for (const [at, { function: tool }] of tools.entries()) {
    checkName(tool.name, ['tools', at, 'function', 'name'])
    if (!tool.parameters) continue
    checkFunctionSchema(tool.name, tool.parameters, tool.strict === true, `tools[${at}].function.parameters`)
  }
  const chosen = choice?.function?.name
  if (chosen !== undefined && !tools.some(({ function: tool }: Json) => tool.name === chosen)) {
    invalid(
      `Invalid value for 'tool_choice': no function named '${chosen}' was specified in the 'tools' parameter.`,
      'tool_choice',
    )
  }
}

/** Refuses what `POST /v1/chat/completions` of OpenAI refuses. */
export function checkChatRequest(body: Json): void {
  checkShape(body, REQUEST, CHAT)
  checkReasoningModel(body)
  checkRange(body.temperature, ['temperature'], 0, 2)
  checkRange(body.top_p, ['top_p'], 0, 1)
  for (const name of ['max_tokens', 'max_completion_tokens']) {
    checkRange(body[name], [name], 1, Number.POSITIVE_INFINITY, 'integer')
  }
  if (body.stream_options != null && !body.stream) {
    invalid("The 'stream_options' parameter is only allowed when 'stream' is enabled.", 'stream_options')
  }
  checkMessages(body.messages)
  checkTools(body)
}
