import type { Json, Shape } from '../shape.ts'
import { isSealed } from '../signature.ts'
import { checkArguments, checkLength, checkName, checkNotEmpty, invalid } from './refusals.ts'

const INPUT_TEXT: Shape = { fields: { 'type!': 'string', 'text!': 'string' } }
const INPUTS: Record<string, Shape> = {
  input_text: INPUT_TEXT,
  input_image: { fields: { 'type!': 'string', image_url: 'string', file_id: 'string', detail: 'string' } },
  input_file: {
    fields: { 'type!': 'string', filename: 'string', file_data: 'string', file_id: 'string', file_url: 'string' },
  },
  output_text: { fields: { 'type!': 'string', 'text!': 'string', annotations: 'any', logprobs: 'any' } },
  refusal: { fields: { 'type!': 'string', 'refusal!': 'string' } },
}
const CONTENT: Shape = { either: ['string', { list: { tag: 'type', of: INPUTS } }] }
const STATUS: Shape = ['in_progress', 'completed', 'incomplete']

export const INPUT: Shape = {
  either: [
    'string',
    {
      list: {
        tag: 'type',
        fallback: 'message',
        of: {
          message: {
            fields: {
              type: 'string',
              'role!': ['assistant', 'system', 'developer', 'user'],
              'content!': CONTENT,
              id: 'string',
              status: STATUS,
              phase: 'string',
            },
          },
          function_call: {
            fields: {
              'type!': 'string',
              'call_id!': 'string',
              'name!': 'string',
              'arguments!': 'string',
              id: 'string',
              status: STATUS,
            },
          },
          function_call_output: {
            fields: { 'type!': 'string', 'call_id!': 'string', 'output!': CONTENT, id: 'string', status: STATUS },
          },
          reasoning: {
            fields: {
              'type!': 'string',
              id: 'string',
              'summary!': { list: INPUT_TEXT },
              content: 'any',
              encrypted_content: 'string',
              status: STATUS,
            },
          },
          item_reference: { fields: { 'type!': 'string', 'id!': 'string' } },
        },
      },
    },
  ],
}

/** An item that the stub sent, and the item of reasoning that it needs before it. */
export interface Sent {
  item: Json
  reasoning?: string
}

const PREFIXES: Record<string, string> = { message: 'msg', function_call: 'fc', reasoning: 'rs' }

function checkItem(item: Json, at: number): void {
  const { type, id } = item
  const prefix = PREFIXES[type]
  if (prefix && id != null && !id.startsWith(`${prefix}_`)) {
    invalid(
      `Invalid 'input[${at}].id': '${id}'. Expected an ID that begins with '${prefix}'.`,
      `input[${at}].id`,
      'invalid_value',
    )
  }
  if (Array.isArray(item.content)) checkNotEmpty(item.content, ['input', at, 'content'])
  if (type === 'function_call') {
    checkLength(item.call_id, 64, ['input', at, 'call_id'])
    checkName(item.name, ['input', at, 'name'])
    checkArguments(item.arguments, ['input', at, 'arguments'])
  }
  if (type === 'reasoning' && item.encrypted_content != null && !isSealed('openai', item.encrypted_content)) {
    const sealed = item.encrypted_content
    const shown = sealed.length > 10 ? `${sealed.slice(0, 4)}...${sealed.slice(-4)}` : sealed
    const message = `The encrypted content ${shown} could not be verified. Reason: Encrypted content could not be decrypted or parsed.`
    invalid(message, null, 'invalid_encrypted_content')
  }
}

/** Checks that each call has one output and each output its call, which comes before it. */
function checkPairs(items: Json[]): void {
  const open = new Set<string>()
  const seen = { function_call: new Set<string>(), function_call_output: new Set<string>() }
  for (const { type, call_id: id } of items) {
    if (type !== 'function_call' && type !== 'function_call_output') continue
    if (seen[type as keyof typeof seen].has(id)) invalid(`Duplicate 'call_id': ${id}`, 'input')
    seen[type as keyof typeof seen].add(id)
    if (type === 'function_call') open.add(id)
    else if (!open.delete(id)) invalid(`No tool call found for function call output with call_id ${id}.`, 'input')
  }
  const [unanswered] = open
  if (unanswered !== undefined) invalid(`No tool output found for function call ${unanswered}.`, 'input')
}

/** Checks that reasoning comes with the item that followed it, and that item with its reasoning. */
function checkReasoning(items: Json[], sent: ReadonlyMap<string, Sent>): void {
  for (const [at, item] of items.entries()) {
    const next = items[at + 1]
    const follows = next && (['reasoning', 'function_call'].includes(next.type) || next.role === 'assistant')
    if (item.type === 'reasoning' && !follows) {
      invalid(`Item '${item.id}' of type 'reasoning' was provided without its required following item.`, 'input')
    }
    const needed = sent.get(item.id)?.reasoning
    if (needed !== undefined && !items.slice(0, at).some(({ id }) => id === needed)) {
      const message = `Item '${item.id}' of type '${item.type}' was provided without its required 'reasoning' item: '${needed}'.`
      invalid(message, 'input')
    }
  }
}

/** Checks the items of an input whose shape is right. `sent` holds the items that the stub sent. */
export function checkInput(input: Json[], sent: ReadonlyMap<string, Sent>, stored: ReadonlySet<string>): void {
  checkNotEmpty(input, ['input'])
  const items = input.map((item) => ({ type: 'message', ...item }))
  for (const [at, item] of items.entries()) {
    checkItem(item, at)
    if (item.id != null && items.findIndex(({ id }) => id === item.id) < at) {
      invalid(`Duplicate item found with id ${item.id}. Remove duplicate items from your input and try again.`, 'input')
    }
    const needsStore = item.type === 'item_reference' || (item.type === 'reasoning' && item.encrypted_content == null)
    if (needsStore && !stored.has(item.id)) {
      const hint =
        'Items are not persisted when `store` is set to false. Try again with `store` set to true, or remove this item from your input.'
      invalid(`Item with id '${item.id}' not found. ${hint}`, 'input')
    }
  }
  const whole = items.map((item) => (item.type === 'item_reference' ? sent.get(item.id)!.item : item))
  checkReasoning(whole, sent)
  checkPairs(whole)
}
