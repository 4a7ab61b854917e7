import { type Answer, argumentsOf, piecesOf, usageOf } from '../answer.ts'
import type { Json } from '../shape.ts'

/** Makes the id of a call of a tool. */
export type NewId = (tool: string) => string

const FINISH = { length: 'length', filter: 'content_filter' } as const

export const finishOf = ({ stop, calls = [] }: Answer) =>
  stop ? FINISH[stop] : calls.length > 0 ? 'tool_calls' : 'stop'

export function chatUsage(answer: Answer) {
  const { input, output, cached, reasoning } = usageOf(answer)
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cached, audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: reasoning, audio_tokens: 0 },
  }
}

/** Calls as OpenAI writes them, with ids of their own. */
export const chatCalls = ({ calls = [] }: Answer, newId: NewId) =>
  calls.map((call) => ({
    id: call.id ?? newId(call.name),
    type: 'function',
    function: { name: call.name, arguments: argumentsOf(call) },
  }))

/** The answer in one piece. */
export function chatCompletion(body: Json, answer: Answer, newId: NewId, reasoningField?: string) {
  const calls = chatCalls(answer, newId)
  const message = {
    role: 'assistant',
    content: answer.text ?? (calls.length > 0 ? null : ''),
    ...(reasoningField && answer.reasoning !== undefined && { [reasoningField]: answer.reasoning }),
    ...(calls.length > 0 && { tool_calls: calls }),
    refusal: null,
  }
  return {
    id: 'chatcmpl-CdStub',
    object: 'chat.completion',
    created: 1_763_856_000,
    model: body.model,
    choices: [{ index: 0, message, logprobs: null, finish_reason: finishOf(answer) }],
    usage: chatUsage(answer),
    service_tier: 'default',
    system_fingerprint: 'fp_stub',
  }
}

/** The deltas of an answer, without the surrounding chunk. */
export function* chatDeltas(answer: Answer, newId: NewId, reasoningField?: string): Generator<Json> {
  yield { role: 'assistant', content: '' }
  if (reasoningField) for (const piece of piecesOf(answer.reasoning ?? '')) yield { [reasoningField]: piece }
  for (const piece of piecesOf(answer.text ?? '')) yield { content: piece }
  for (const [index, { function: called, ...call }] of chatCalls(answer, newId).entries()) {
    yield { tool_calls: [{ index, ...call, function: { name: called.name, arguments: '' } }] }
    for (const piece of piecesOf(called.arguments)) yield { tool_calls: [{ index, function: { arguments: piece } }] }
  }
}

/** The answer as an event stream. */
export function* chatStream(body: Json, answer: Answer, newId: NewId, reasoningField?: string) {
  const withUsage = body.stream_options?.include_usage === true
  const chunk = (choices: Json[], usage: Json = null) =>
    `data: ${JSON.stringify({
      id: 'chatcmpl-CdStub',
      object: 'chat.completion.chunk',
      created: 1_763_856_000,
      model: body.model,
      service_tier: 'default',
      system_fingerprint: 'fp_stub',
      choices,
      ...(withUsage && { usage }),
    })}\n\n`
  for (const delta of chatDeltas(answer, newId, reasoningField)) {
    yield chunk([{ index: 0, delta, logprobs: null, finish_reason: null }])
  }
  yield chunk([{ index: 0, delta: {}, logprobs: null, finish_reason: finishOf(answer) }])
  if (withUsage) yield chunk([], chatUsage(answer))
  yield 'data: [DONE]\n\n'
}
