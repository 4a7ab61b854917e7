import { Ajv2020 } from 'ajv/dist/2020.js'
import { checkShape, type Json, type Shape } from '../shape.ts'
import { CACHE, MESSAGES, SYSTEM } from './content.ts'
import { blocksOf, checkMessages } from './messages.ts'
import { ANTHROPIC, checkName, checkPattern, checkRange, invalid } from './refusals.ts'

const CUSTOM: Shape = {
  fields: {
    type: 'string',
    'name!': 'string',
    description: 'string',
    'input_schema!': 'object',
    cache_control: CACHE,
    strict: 'boolean',
    input_examples: 'any',
    eager_input_streaming: 'boolean',
  },
}
const CHOICE: Shape = { fields: { 'type!': 'string', disable_parallel_tool_use: 'boolean' } }

const REQUEST: Shape = {
  fields: {
    'model!': 'string',
    'messages!': MESSAGES,
    'max_tokens!': 'integer',
    system: SYSTEM,
    stream: 'boolean',
    temperature: 'number',
    top_p: 'number',
    top_k: 'integer',
    stop_sequences: { list: 'string' },
    metadata: { fields: { user_id: 'string' } },
    service_tier: ['auto', 'standard_only'],
    cache_control: CACHE,
    thinking: {
      tag: 'type',
      of: {
        enabled: { fields: { 'type!': 'string', 'budget_tokens!': 'integer', display: ['summarized', 'omitted'] } },
        adaptive: { fields: { 'type!': 'string', display: ['summarized', 'omitted'] } },
        disabled: { fields: { 'type!': 'string' } },
      },
    },
    output_config: {
      fields: {
        effort: ['low', 'medium', 'high', 'xhigh', 'max'],
        format: { fields: { 'type!': ['json_schema'], 'schema!': 'object' } },
      },
    },
    tools: { list: { tag: 'type', of: { custom: CUSTOM }, fallback: 'custom' } },
    tool_choice: {
      tag: 'type',
      of: {
        auto: CHOICE,
        any: CHOICE,
        none: { fields: { 'type!': 'string' } },
        tool: { fields: { 'type!': 'string', 'name!': 'string', disable_parallel_tool_use: 'boolean' } },
      },
    },
  },
}

const DOCS = 'https://docs.claude.com/en/docs/build-with-claude/extended-thinking#max-tokens-and-context-window-size'

function checkThinking({ thinking, max_tokens, temperature, top_k, tool_choice: choice }: Json): void {
  if (!thinking || thinking.type === 'disabled') return
  checkRange(thinking.budget_tokens, ['thinking', thinking.type, 'budget_tokens'], 1024, Number.POSITIVE_INFINITY)
  if (thinking.budget_tokens >= max_tokens) {
    invalid(
      `\`max_tokens\` must be greater than \`thinking.budget_tokens\`. Please consult our documentation at ${DOCS}`,
    )
  }
  const hint =
    'Please consult our documentation at https://docs.claude.com/en/docs/build-with-claude/extended-thinking#important-considerations-when-using-extended-thinking'
  if ((temperature ?? 1) !== 1) invalid(`\`temperature\` may only be set to 1 when thinking is enabled. ${hint}`)
  if (top_k != null) invalid(`\`top_k\` must be unset when thinking is enabled. ${hint}`)
  if (choice?.type === 'any' || choice?.type === 'tool')
    invalid('Thinking may not be enabled when tool_choice forces tool use.')
}

function checkSchema(schema: Json, where: string): void {
  if (schema.type === undefined) invalid(`${where}.type: Field required`)
  if (schema.type !== 'object') invalid(`${where}.type: Input should be 'object'`)
  if (['oneOf', 'allOf', 'anyOf'].some((keyword) => keyword in schema)) {
    invalid(`${where}: input_schema does not support oneOf, allOf, or anyOf at the top level`)
  }
  if (!Object.keys(schema.properties ?? {}).every((name) => /^[a-zA-Z0-9_.-]{1,64}$/.test(name))) {
    invalid(`${where}.properties: Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'`)
  }
  if (!new Ajv2020({ strict: false, logger: false }).validateSchema(schema)) {
    invalid(
      `${where}: JSON schema is invalid. It must match JSON Schema draft 2020-12 (https://json-schema.org/draft/2020-12). ` +
        'Learn more about tool use at https://docs.claude.com/en/docs/tool-use.',
    )
  }
}

function checkTools({ tools = [], tool_choice: choice }: Json): void {
  for (const [at, { name, input_schema: schema }] of tools.entries()) {
    checkName(name, ['tools', at, 'custom', 'name'])
    checkSchema(schema, `tools.${at}.custom.input_schema`)
  }
  const names = tools.map(({ name }: Json) => name)
  if (new Set(names).size < names.length) invalid('tools: Tool names must be unique.')
  if (choice && names.length === 0) invalid('tool_choice: tool_choice may only be specified while providing tools')
  if (choice?.type === 'tool' && !names.includes(choice.name))
    invalid(`Tool '${choice.name}' not found in provided tools`)
}

function checkCacheMarks({ system, messages, tools = [] }: Json): void {
  const blocks = [...(Array.isArray(system) ? system : []), ...tools, ...messages.flatMap(blocksOf)]
  const marked = blocks.filter(({ cache_control: mark }) => mark != null)
  if (marked.length > 4) invalid(`A maximum of 4 blocks with cache_control may be provided. Found ${marked.length}.`)
  if (marked.some(({ text }) => text === '')) invalid('cache_control cannot be set for empty text blocks')
  if (Array.isArray(system) && system.some(({ text }: Json) => text === '')) {
    invalid('system: text content blocks must be non-empty')
  }
}

/** Refuses what `POST /v1/messages` of Anthropic refuses. `most` is the model's limit of output tokens. */
export function checkRequest(body: Json, most: number): void {
  checkShape(body, REQUEST, ANTHROPIC)
  checkRange(body.max_tokens, ['max_tokens'], 1, Number.POSITIVE_INFINITY)
  if (body.max_tokens > most) {
    invalid(
      `max_tokens: ${body.max_tokens} > ${most}, which is the maximum allowed number of output tokens for ${body.model}`,
    )
  }
  checkRange(body.temperature, ['temperature'], 0, 1)
  checkRange(body.top_p, ['top_p'], 0, 1)
  checkThinking(body)
  for (const [at, message] of body.messages.entries()) {
    for (const [index, block] of blocksOf(message).entries()) {
      if (block.type === 'tool_use') checkName(block.name, ['messages', at, 'content', index, 'tool_use', 'name'])
      if (block.type !== 'tool_result') continue
      checkPattern(block.tool_use_id, /^[a-zA-Z0-9_-]+$/, [
        'messages',
        at,
        'content',
        index,
        'tool_result',
        'tool_use_id',
      ])
    }
  }
  checkTools(body)
  checkCacheMarks(body)
  checkMessages(body)
}
