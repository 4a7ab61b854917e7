import { type Asked, serve, type Answer as WireAnswer } from '../../stand-ins/wire.ts'
import { type Answer, type Answers, createAnswers, type Responder, type Script } from '../answer.ts'
import { createIds } from '../ids.ts'
import { chatCompletion, chatDeltas, chatUsage, finishOf } from '../openai/chat-answer.ts'
import type { Json } from '../shape.ts'
import { type Draft, QUIRKS, type Quirk } from './quirks.ts'

export interface LocalServerOptions {
  /** What the server does to every stream, in this order. */
  quirks?: readonly Quirk[]
  answers?: Script
}

export interface LocalServer {
  /** The base URL for clients of the OpenAI API, with `/v1`. */
  url: string
  requests: readonly Asked[]
  /** Other quirks from the next request on. */
  be(...quirks: Quirk[]): void
  /** Holds every response, as a server does that reads a long prompt, until the returned function is called. */
  hold(): () => void
  add(...answers: (Answer | Responder)[]): void
  close(): Promise<void>
}

function draftOf(body: Json, answer: Answer, newId: () => string): Draft {
  const head = { id: 'chatcmpl-local', object: 'chat.completion.chunk', created: 1_763_856_000, model: body.model }
  const chunks: Json[] = []
  for (const delta of chatDeltas(answer, newId, 'reasoning_content')) {
    chunks.push({ ...head, choices: [{ index: 0, delta, finish_reason: null }] })
  }
  chunks.push({ ...head, choices: [{ index: 0, delta: {}, finish_reason: finishOf(answer) }] })
  if (body.stream_options?.include_usage) chunks.push({ ...head, choices: [], usage: chatUsage(answer) })
  return { chunks, body, done: true, lineEnd: '\n', contentType: 'text/event-stream' }
}

async function* eventsOf({ chunks, done, lineEnd, comment, cutAfter = Number.POSITIVE_INFINITY }: Draft) {
  for (const [at, chunk] of chunks.entries()) {
    if (at >= cutAfter) throw new Error('The connection is cut.')
    if (comment !== undefined) yield `${comment}${lineEnd}${lineEnd}`
    yield `data: ${JSON.stringify(chunk)}${lineEnd}${lineEnd}`
  }
  if (done) yield `data: [DONE]${lineEnd}${lineEnd}`
}

async function respond(
  request: Asked,
  quirks: readonly Quirk[],
  answers: Answers,
  newId: () => string,
): Promise<WireAnswer> {
  const { body } = request
  const answer = await answers.next(request)
  if (answer.error) {
    return {
      status: answer.error.status,
      body: { error: { message: answer.error.message ?? 'failed', code: answer.error.status } },
    }
  }
  if (!body.stream) return { status: 200, body: chatCompletion(body, answer, newId, 'reasoning_content') }
  const draft = draftOf(body, answer, newId)
  for (const quirk of quirks) QUIRKS[quirk](draft)
  const headers = { 'content-type': draft.contentType }
  return { status: 200, headers, body: draft.whole ?? eventsOf(draft) }
}

/**
 * A server of local models with the quirks of Ollama, LM Studio, vLLM and llama.cpp: chat completions of OpenAI for any key, any
 * model and any history. A response without a stream has no quirks.
 */
export async function startLocalServer({
  quirks = [],
  answers: script = [],
}: LocalServerOptions = {}): Promise<LocalServer> {
  const answers = createAnswers(script)
  const newId = createIds('call_', 8)
  const state = { quirks, held: Promise.resolve() }
  const server = await serve(async (request) => {
    if (request.path === '/v1/models') {
      return {
        status: 200,
        body: { object: 'list', data: [{ id: 'local', object: 'model', created: 0, owned_by: 'library' }] },
      }
    }
    await state.held
    return respond(request, state.quirks, answers, newId)
  })
  return {
    url: `${server.url}/v1`,
    requests: server.asked,
    add: answers.add,
    close: server.close,
    be(...next) {
      state.quirks = next
    },
    hold() {
      const { promise, resolve } = Promise.withResolvers<void>()
      state.held = promise
      return resolve
    },
  }
}
