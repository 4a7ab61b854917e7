import type { Asked, Answer as WireAnswer } from '../../stand-ins/wire.ts'
import { chatCompletion, chatStream } from '../openai/chat-answer.ts'
import { type Provider, type Refusal, refuse, type Stub, type StubOptions, startStub } from '../stub.ts'
import { checkRequest, thinks } from './request.ts'

/** The key it accepts. */
export const KIMI_KEY = 'sk-kimi-stub'

const MODELS = ['kimi-k3', 'kimi-k2.6', 'kimi-k2.5', 'kimi-k2-thinking', 'kimi-k2-0905-preview']

const TYPES: Record<number, string> = {
  401: 'invalid_authentication_error',
  404: 'resource_not_found_error',
  429: 'rate_limit_reached_error',
  500: 'server_error',
  503: 'engine_overloaded_error',
}

const error = ({ status, message, fields }: Refusal) => ({
  error: { message, type: TYPES[status] ?? 'invalid_request_error', ...fields },
})

function authorize({ headers: { authorization } }: Asked): void {
  if (authorization !== `Bearer ${KIMI_KEY}`) refuse('Invalid Authentication', {}, 401)
}

function other({ method, path }: Asked): WireAnswer | undefined {
  if (method === 'POST' && path === '/v1/chat/completions') return undefined
  if (method !== 'GET' || path !== '/v1/models') return refuse('没找到对象', { type: 'url.not_found' }, 404)
  const data = MODELS.map((id) => ({
    id,
    object: 'model',
    created: 1_752_000_000,
    owned_by: 'moonshot',
    context_length: 262_144,
    supports_reasoning: id !== 'kimi-k2-0905-preview',
  }))
  return { status: 200, body: { object: 'list', data } }
}

/**
 * Kimi as a strict stub: chat completions of Moonshot, with thinking as `reasoning_content`. It refuses the requests that
 * Moonshot refuses, with its texts, and sends the answers of the script. DeepSeek's thinking models have the same rule: each
 * earlier message with calls carries its `reasoning_content`, be it empty.
 */
export function startKimi(options: StubOptions = {}): Promise<Stub> {
  let calls = 0
  // Kimi names calls after their tools: `roll:0`.
  const newId = (tool: string) => `${tool}:${calls++}`
  const provider: Provider = {
    key: KIMI_KEY,
    base: '/v1',
    error,
    authorize,
    other,
    accept({ body }) {
      if (body === undefined) refuse('Invalid request: the body is not valid JSON')
      if (!MODELS.includes(body.model)) refuse(`Not found the model ${body.model} or Permission denied`, {}, 404)
      checkRequest(body)
      return (answer) => {
        const reasoning = thinks(body) ? 'reasoning_content' : undefined
        return body.stream ? chatStream(body, answer, newId, reasoning) : chatCompletion(body, answer, newId, reasoning)
      }
    },
  }
  return startStub(provider, options)
}
