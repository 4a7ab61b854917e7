import { type Answer, argumentsOf, piecesOf, usageOf } from '../answer.ts'
import type { Json } from '../shape.ts'
import { sign } from '../signature.ts'

const STOPS = { length: 'max_tokens', filter: 'refusal' } as const

/** The blocks of an answer. */
export function blocksOfAnswer({ model }: Json, answer: Answer, newId: () => string): Json[] {
  const { reasoning, text, calls = [] } = answer
  return [
    ...(reasoning === undefined
      ? []
      : [{ type: 'thinking', thinking: reasoning, signature: sign(`anthropic ${model}`, reasoning) }]),
    ...(text === undefined ? [] : [{ type: 'text', text }]),
    ...calls.map(({ id, name, arguments: input = {} }) => ({ type: 'tool_use', id: id ?? newId(), name, input })),
  ]
}

/** The whole message. */
export function messageOf(body: Json, answer: Answer, content: Json[]): Json {
  const { input, output, cached } = usageOf(answer)
  return {
    model: body.model,
    id: 'msg_01StubStubStubStubStubSt',
    type: 'message',
    role: 'assistant',
    content,
    stop_reason: answer.stop ? STOPS[answer.stop] : answer.calls?.length ? 'tool_use' : 'end_turn',
    stop_sequence: null,
    usage: {
      input_tokens: input - cached,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: cached,
      output_tokens: output,
      service_tier: 'standard',
    },
  }
}

/** A block without its content, and its content in deltas. The signature of thinking comes on its own, last. */
function deltasOf(block: Json, input: string): { empty: Json; deltas: Json[] } {
  if (block.type === 'text') {
    return { empty: { ...block, text: '' }, deltas: piecesOf(block.text).map((text) => ({ type: 'text_delta', text })) }
  }
  if (block.type === 'thinking') {
    const deltas = piecesOf(block.thinking).map((thinking): Json => ({ type: 'thinking_delta', thinking }))
    const { signature } = block
    return {
      empty: { type: 'thinking', thinking: '', signature: '' },
      deltas: [...deltas, { type: 'signature_delta', signature }],
    }
  }
  const pieces = ['', ...piecesOf(input)]
  const deltas = pieces.map((partial_json) => ({ type: 'input_json_delta', partial_json }))
  return { empty: { ...block, input: {} }, deltas }
}

function* eventsOf(message: Json, { calls = [] }: Answer): Generator<Json> {
  const { content, stop_reason, stop_sequence, usage } = message
  const begun = { ...message, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } }
  yield { type: 'message_start', message: begun }
  for (const [index, block] of content.entries()) {
    // The calls are the last blocks.
    const call = calls[index - content.length + calls.length]
    const { empty, deltas } = deltasOf(block, call ? argumentsOf(call) : '')
    yield { type: 'content_block_start', index, content_block: empty }
    if (index === 0) yield { type: 'ping' }
    for (const delta of deltas) yield { type: 'content_block_delta', index, delta }
    yield { type: 'content_block_stop', index }
  }
  yield { type: 'message_delta', delta: { stop_reason, stop_sequence }, usage: { output_tokens: usage.output_tokens } }
  yield { type: 'message_stop' }
}

/** A message as an event stream. */
export function* messageStream(message: Json, answer: Answer): Generator<string> {
  for (const event of eventsOf(message, answer)) yield `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`
}
