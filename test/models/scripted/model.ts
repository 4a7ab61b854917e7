import { scriptedAnswer } from '../../../src/llm/scripted-answer.ts'
import { type Asked, serve, type Answer as WireAnswer } from '../../stand-ins/wire.ts'
import { type Answer, type Answers, createAnswers, type Responder, type Script, timed } from '../answer.ts'
import { createIds } from '../ids.ts'
import { chatCompletion, chatStream } from '../openai/chat-answer.ts'
import type { Json } from '../shape.ts'

export interface ScriptedModelOptions {
  answers?: Script
  /** A free port unless given. */
  port?: number
  /** Called with every request for an answer. */
  onRequest?: (request: Asked) => void
}

export interface ScriptedModel {
  /** The base URL for clients of the OpenAI API, with `/v1`. */
  url: string
  /** Every request for an answer, in the order of arrival. */
  requests: readonly Asked[]
  /** Adds answers behind those of the script. */
  add(...answers: (Answer | Responder)[]): void
  close(): Promise<void>
}

const textOf = (content: Json): string =>
  typeof content === 'string' ? content : (content ?? []).map((part: Json) => part.text ?? '').join('')

/** The answer that `cairn/scripted` gives to a chat. */
function scripted({ body }: Asked): Answer {
  const names = new Map<string, string>()
  const messages = body.messages.map(({ role, content, tool_calls, tool_call_id }: Json) => {
    for (const call of tool_calls ?? []) names.set(call.id, call.function.name)
    return { role: role === 'developer' ? 'system' : role, text: textOf(content), tool: names.get(tool_call_id) }
  })
  const tools = (body.tools ?? []).map((tool: Json) => tool.function)
  return scriptedAnswer(messages, tools, { parallel: body.parallel_tool_calls !== false })
}

async function respond(request: Asked, answers: Answers, newId: () => string): Promise<WireAnswer> {
  const { body } = request
  const answer = await answers.next(request)
  const { error } = answer
  if (error) {
    const { status, message = `The script says ${status}.`, retryAfter } = error
    const headers: Record<string, string> = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }
    return { status, headers, body: { error: { message, type: 'scripted', param: null, code: null } } }
  }
  if (!body.stream) return { status: 200, body: chatCompletion(body, answer, newId, 'reasoning_content') }
  return { status: 200, body: timed(chatStream(body, answer, newId, 'reasoning_content'), answer) }
}

/**
 * A model for tests of agents: chat completions of OpenAI over HTTP on loopback, for any key and any name of a model. It gives
 * the answers of the script in order; at the end of the script it answers as `cairn/scripted` does.
 */
export async function startScriptedModel(options: ScriptedModelOptions = {}): Promise<ScriptedModel> {
  const answers = createAnswers(options.answers ?? [], scripted)
  const requests: Asked[] = []
  const newId = createIds('call_', 8)
  const server = await serve((request) => {
    const { method, path, body } = request
    if (method === 'GET' && path === '/v1/models') {
      return {
        status: 200,
        body: { object: 'list', data: [{ id: 'scripted', object: 'model', created: 0, owned_by: 'cairn' }] },
      }
    }
    if (path !== '/v1/chat/completions')
      return { status: 404, body: { error: { message: `There is no ${method} ${path}.` } } }
    if (!Array.isArray(body?.messages))
      return { status: 400, body: { error: { message: 'The body has no messages.' } } }
    requests.push(request)
    options.onRequest?.(request)
    return respond(request, answers, newId)
  }, options.port)
  return { url: `${server.url}/v1`, requests, add: answers.add, close: server.close }
}
