import { type Answer, argumentsOf, piecesOf, usageOf } from '../answer.ts'
import type { Json } from '../shape.ts'
import { seal } from '../signature.ts'

/** Makes the ids of items. */
export interface ItemIds {
  call(): string
  item(): string
}

/** The items of an answer: reasoning, a message, calls. */
export function itemsOf(body: Json, answer: Answer, ids: ItemIds): Json[] {
  const sealed = body.include?.includes('reasoning.encrypted_content') || body.store === false
  const items: Json[] = []
  if (answer.reasoning !== undefined) {
    const id = `rs_${ids.item()}`
    const summary = body.reasoning?.summary ? [{ type: 'summary_text', text: answer.reasoning }] : []
    items.push({ id, type: 'reasoning', summary, ...(sealed && { encrypted_content: seal('openai', id) }) })
  }
  if (answer.text !== undefined) {
    const content = [{ type: 'output_text', annotations: [], logprobs: [], text: answer.text }]
    items.push({ id: `msg_${ids.item()}`, type: 'message', status: 'completed', content, role: 'assistant' })
  }
  for (const call of answer.calls ?? []) {
    const made = { arguments: argumentsOf(call), call_id: call.id ?? ids.call(), name: call.name }
    items.push({ id: `fc_${ids.item()}`, type: 'function_call', status: 'completed', ...made })
  }
  return items
}

/** The response around the items of an answer. */
export function responseOf(body: Json, answer: Answer, id: string, output: Json[]): Json {
  const { input, output: written, cached, reasoning } = usageOf(answer)
  const { stop } = answer
  return {
    id,
    object: 'response',
    created_at: 1_763_856_000,
    status: stop ? 'incomplete' : 'completed',
    error: null,
    incomplete_details: stop ? { reason: stop === 'length' ? 'max_output_tokens' : 'content_filter' } : null,
    model: body.model,
    output,
    parallel_tool_calls: body.parallel_tool_calls ?? true,
    store: body.store ?? true,
    service_tier: 'default',
    usage: {
      input_tokens: input,
      input_tokens_details: { cached_tokens: cached },
      output_tokens: written,
      output_tokens_details: { reasoning_tokens: reasoning },
      total_tokens: input + written,
    },
  }
}

type Event = Json & { type: string }

/** The events of one item of the output. */
function* eventsOf(item: Json, output_index: number): Generator<Event> {
  const at = { item_id: item.id, output_index }
  const empty =
    item.type === 'function_call'
      ? { arguments: '', status: 'in_progress' }
      : item.type === 'message'
        ? { content: [], status: 'in_progress' }
        : { summary: [] }
  yield { type: 'response.output_item.added', output_index, item: { ...item, ...empty } }
  for (const [summary_index, part] of (item.summary ?? []).entries()) {
    const where = { ...at, summary_index }
    yield { type: 'response.reasoning_summary_part.added', ...where, part: { type: 'summary_text', text: '' } }
    for (const delta of piecesOf(part.text)) yield { type: 'response.reasoning_summary_text.delta', ...where, delta }
    yield { type: 'response.reasoning_summary_text.done', ...where, text: part.text }
    yield { type: 'response.reasoning_summary_part.done', ...where, part }
  }
  for (const [content_index, part] of (item.content ?? []).entries()) {
    const where = { ...at, content_index }
    yield { type: 'response.content_part.added', ...where, part: { ...part, text: '' } }
    for (const delta of piecesOf(part.text)) yield { type: 'response.output_text.delta', ...where, delta, logprobs: [] }
    yield { type: 'response.output_text.done', ...where, text: part.text, logprobs: [] }
    yield { type: 'response.content_part.done', ...where, part }
  }
  if (item.type === 'function_call') {
    for (const delta of piecesOf(item.arguments)) yield { type: 'response.function_call_arguments.delta', ...at, delta }
    yield { type: 'response.function_call_arguments.done', ...at, arguments: item.arguments }
  }
  yield { type: 'response.output_item.done', output_index, item }
}

function* allEvents(response: Json): Generator<Event> {
  const begun = { ...response, status: 'in_progress', output: [], usage: null, incomplete_details: null }
  yield { type: 'response.created', response: begun }
  yield { type: 'response.in_progress', response: begun }
  for (const [at, item] of response.output.entries()) yield* eventsOf(item, at)
  yield { type: `response.${response.status}`, response }
}

/** A response as an event stream. */
export function* responseStream(response: Json): Generator<string> {
  let sequence_number = 0
  for (const event of allEvents(response)) {
    yield `event: ${event.type}\ndata: ${JSON.stringify({ ...event, sequence_number: sequence_number++ })}\n\n`
  }
}
