import { checkSequence, type SequenceRefusals } from '../openai/chat-messages.ts'
import { type Json, kindOf } from '../shape.ts'
import { refuse } from '../stub.ts'

/** Refuses a request in the words of Moonshot. */
export const invalid = (message: string) => refuse(`Invalid request: ${message}`, { type: 'invalid_request_error' })

const SEQUENCE: SequenceRefusals = {
  unanswered: (ids) =>
    invalid(
      "an assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The " +
        `following tool_call_ids did not have response messages: ${ids.join(', ')}`,
    ),
  stray: () => invalid("messages with role 'tool' must be a response to a preceeding message with 'tool_calls'"),
  unknownId: () => invalid('tool_call_id is not found'),
  duplicate: (id) => invalid(`tool_call_id ${id} is duplicated`),
}

const PARTS = ['text', 'image_url']

/** Whether thinking is on: by the request, else by the model. */
export function thinks({ model, thinking }: Json): boolean {
  if (/^kimi-k2-thinking/.test(model)) return true
  return /^kimi-k[23]\.?\d?$/.test(model) && thinking?.type !== 'disabled'
}

function isEmpty({ content }: Json): boolean {
  if (content == null || content === '') return true
  return Array.isArray(content) && content.every((part) => part.type === 'text' && !part.text)
}

function checkMessage(message: Json, at: number, thinking: boolean): void {
  const { role, content, tool_calls: calls, reasoning_content: reasoning } = message
  if (!['system', 'user', 'assistant', 'tool'].includes(role)) invalid('unsupported role ROLE_UNSPECIFIED')
  if (isEmpty(message) && !calls?.length) {
    invalid(`the message at position ${at} with role '${role}' must not be empty`)
  }
  for (const { type } of Array.isArray(content) ? content : []) {
    if (!PARTS.includes(type))
      invalid(`the message at position ${at} with role '${role}' contains an invalid part type: ${type}`)
  }
  for (const { id, function: called } of calls ?? []) {
    if (!id) invalid('tool_call_id is not found')
    checkName(called?.name)
    checkArguments(called.arguments)
  }
  if (thinking && calls?.length && typeof reasoning !== 'string') {
    refuse(`thinking is enabled but reasoning_content is missing in assistant tool call message at index ${at}`, {
      type: 'invalid_request_error',
    })
  }
}

function checkName(name: unknown): void {
  if (typeof name === 'string' && /^[a-zA-Z][\w-]{0,63}$/.test(name)) return
  invalid(
    'function name is invalid, must start with a letter and can contain letters, numbers, underscores, and dashes',
  )
}

/** Moonshot's servers, like vLLM, read the arguments of earlier calls as JSON; the text is that of vLLM. */
function checkArguments(text: unknown): void {
  try {
    if (kindOf(JSON.parse(String(text))) === 'object') return
  } catch (error) {
    invalid((error as Error).message)
  }
  invalid('function.arguments must be the JSON of an object')
}

/** Checks a schema by the rules of Moonshot's own flavour of JSON schema. */
function checkSchema(schema: Json, path = ''): void {
  const fail = (reason: string) => {
    const details = `<At path '${path || 'root'}': ${reason}>`
    invalid(`tools.function.parameters is not a valid moonshot flavored json schema, details: ${details}`)
  }
  const inside = (step: string) => (path ? `${path}.${step}` : step)
  if (schema.anyOf && schema.type !== undefined) {
    fail('when using anyOf, type should be defined in anyOf items instead of the parent schema')
  }
  if (typeof schema.$ref === 'string' && !schema.$ref.startsWith('#/$defs/'))
    fail('references must start with #/$defs/')
  for (const [name, inner] of Object.entries(schema.properties ?? {})) {
    if (kindOf(inner) !== 'object') {
      const details = `<At path '${inside('properties')}': property schema for '${name}' must be an object>`
      invalid(`tools.function.parameters is not a valid moonshot flavored json schema, details: ${details}`)
    }
    checkSchema(inner, inside(`properties.${name}`))
  }
  if (schema.items !== undefined) {
    if (kindOf(schema.items) !== 'object') fail('items must be an object')
    checkSchema(schema.items, inside('items'))
  }
  for (const [at, inner] of (schema.anyOf ?? []).entries()) checkSchema(inner, inside(`anyOf.${at}`))
}

function checkTools({ tools = [] }: Json): void {
  const names = new Set<string>()
  for (const { function: tool } of tools) {
    checkName(tool?.name)
    if (names.has(tool.name)) invalid(`function name ${tool.name} is duplicated`)
    names.add(tool.name)
    if (!tool.parameters) continue
    if (tool.parameters.type !== 'object') invalid('tools.function.parameters.type is required and must be "object"')
    checkSchema(tool.parameters)
  }
}

/** Refuses what `POST /v1/chat/completions` of Moonshot refuses. Unknown settings are accepted, as there. */
export function checkRequest(body: Json): void {
  if (!Array.isArray(body.messages) || body.messages.length === 0) invalid('messages must not be empty')
  const thinking = thinks(body)
  if (body.thinking !== undefined && kindOf(body.thinking) !== 'object') {
    const kind = body.thinking === true || body.thinking === false ? 'bool' : kindOf(body.thinking)
    invalid(`the thinking field in the request (expected type object) is illegal, and ${kind} is not acceptable`)
  }
  if (body.thinking && body.reasoning_effort) invalid("cannot specify both 'thinking' and 'reasoning_effort'")
  if (/^kimi-k2\.\d$/.test(body.model)) {
    const only = thinking ? 1 : 0.6
    if ((body.temperature ?? only) !== only) invalid(`invalid temperature: only ${only} is allowed for this model`)
  } else if (body.temperature < 0 || body.temperature > 1) {
    invalid('invalid temperature: must be in the range [0, 1]')
  }
  if (thinking && body.tool_choice && !['auto', 'none'].includes(body.tool_choice)) {
    invalid("tool_choice 'specified' is incompatible with thinking enabled")
  }
  for (const [at, message] of body.messages.entries()) checkMessage(message, at, thinking)
  checkTools(body)
  checkSequence(body.messages, SEQUENCE)
}
