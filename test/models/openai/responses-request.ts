import { checkShape, type Json, type Shape } from '../shape.ts'
import { isReasoningModel } from './chat-request.ts'
import { checkFunctionSchema } from './function-schema.ts'
import { checkName, checkRange, invalid, OPENAI } from './refusals.ts'
import { INPUT } from './responses-input.ts'

const FORMAT: Shape = {
  tag: 'type',
  of: {
    text: { fields: { 'type!': 'string' } },
    json_object: { fields: { 'type!': 'string' } },
    json_schema: {
      fields: { 'type!': 'string', 'name!': 'string', 'schema!': 'object', description: 'string', strict: 'boolean' },
    },
  },
}

const REQUEST: Shape = {
  fields: {
    'model!': 'string',
    input: INPUT,
    instructions: 'string',
    tools: {
      list: {
        tag: 'type',
        of: {
          function: {
            fields: {
              'type!': 'string',
              'name!': 'string',
              'parameters!': 'object',
              strict: 'boolean',
              description: 'string',
            },
          },
        },
      },
    },
    tool_choice: {
      either: [['none', 'auto', 'required'], { fields: { 'type!': ['function'], 'name!': 'string' } }],
    },
    parallel_tool_calls: 'boolean',
    max_output_tokens: 'integer',
    max_tool_calls: 'integer',
    temperature: 'number',
    top_p: 'number',
    top_logprobs: 'integer',
    reasoning: {
      fields: {
        effort: ['none', 'minimal', 'low', 'medium', 'high', 'xhigh'],
        summary: ['auto', 'concise', 'detailed'],
      },
    },
    text: { fields: { format: FORMAT, verbosity: ['low', 'medium', 'high'] } },
    include: { list: 'string' },
    store: 'boolean',
    stream: 'boolean',
    stream_options: { fields: { include_obfuscation: 'boolean' } },
    previous_response_id: 'string',
    conversation: 'any',
    prompt: 'object',
    truncation: ['auto', 'disabled'],
    background: 'boolean',
    metadata: 'object',
    user: 'string',
    safety_identifier: 'string',
    prompt_cache_key: 'string',
    prompt_cache_retention: 'string',
    service_tier: 'string',
  },
}

function checkModelSettings({ model, temperature, top_p, reasoning, include = [] }: Json): void {
  const unsupported = (name: string) =>
    invalid(`Unsupported parameter: '${name}' is not supported with this model.`, name, 'unsupported_parameter')
  if (isReasoningModel(model)) {
    if (temperature != null) unsupported('temperature')
    if (top_p != null) unsupported('top_p')
    return
  }
  if (reasoning?.effort != null) unsupported('reasoning.effort')
  if (reasoning?.summary != null) unsupported('reasoning.summary')
  if (include.includes('reasoning.encrypted_content')) {
    invalid('Encrypted content is not supported with this model.', 'include')
  }
}

function checkTools({ tools, tool_choice: choice }: Json): void {
  for (const [at, { name, parameters, strict }] of (tools ?? []).entries()) {
    checkName(name, ['tools', at, 'name'])
    checkFunctionSchema(name, parameters, strict === true, `tools[${at}].parameters`)
  }
  if (choice == null || choice === 'none' || choice === 'auto') return
  if (!tools?.length) {
    invalid(`Tool choice '${choice.name ?? choice}' must be specified with 'tools' parameter.`, 'tool_choice')
  }
  if (choice.name !== undefined && !tools.some(({ name }: Json) => name === choice.name)) {
    invalid(`Tool choice '${choice.name}' not found in 'tools' parameter.`, 'tool_choice')
  }
}

/** Refuses what `POST /v1/responses` of OpenAI refuses, but for the items of its input. */
export function checkResponsesRequest(body: Json): void {
  checkShape(body, REQUEST, OPENAI)
  if ([body.input, body.previous_response_id, body.prompt, body.conversation].every((value) => value == null)) {
    invalid(
      "One of 'input' or 'previous_response_id' or 'prompt' or 'conversation_id' must be provided.",
      'input',
      'missing_required_parameter',
    )
  }
  checkModelSettings(body)
  checkRange(body.temperature, ['temperature'], 0, 2)
  checkRange(body.max_output_tokens, ['max_output_tokens'], 16, Number.POSITIVE_INFINITY, 'integer')
  checkTools(body)
}
