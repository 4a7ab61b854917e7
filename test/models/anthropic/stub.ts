import type { Asked, Answer as WireAnswer } from '../../stand-ins/wire.ts'
import { createIds } from '../ids.ts'
import { type Provider, type Refusal, refuse, type Stub, type StubOptions, startStub } from '../stub.ts'
import { blocksOfAnswer, messageOf, messageStream } from './answer.ts'
import { checkRequest } from './request.ts'

/** The key it accepts. */
export const ANTHROPIC_KEY = 'sk-ant-api03-stub'

/** Its models, with their limits of output tokens. */
const MODELS: Record<string, number> = {
  'claude-opus-4-6': 128_000,
  'claude-sonnet-4-5': 64_000,
  'claude-haiku-4-5': 64_000,
}

const TYPES: Record<number, string> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  529: 'overloaded_error',
}

const error = ({ status, message, fields }: Refusal) => ({
  type: 'error',
  error: { type: TYPES[status] ?? 'api_error', message, ...fields },
  request_id: 'req_011CStubStubStubStubStub',
})

function authorize({ headers }: Asked): void {
  const key = headers['x-api-key']
  if (key === undefined) refuse('x-api-key header is required', {}, 401)
  if (key !== ANTHROPIC_KEY) refuse('invalid x-api-key', {}, 401)
  if (headers['anthropic-version'] !== '2023-06-01') refuse('anthropic-version: header is required')
}

function other({ method, path }: Asked): WireAnswer | undefined {
  const { pathname } = new URL(path, 'http://stub')
  if (method === 'POST' && pathname === '/v1/messages') return undefined
  if (method !== 'GET' || pathname !== '/v1/models') return refuse('Not Found', {}, 404)
  const data = Object.entries(MODELS).map(([id, max_tokens]) => ({
    type: 'model',
    id,
    display_name: id,
    created_at: '2026-02-04T00:00:00Z',
    max_input_tokens: 200_000,
    max_tokens,
  }))
  return { status: 200, body: { data, has_more: false, first_id: data[0]!.id, last_id: data.at(-1)!.id } }
}

/**
 * Anthropic as a strict stub: messages. It refuses the requests that Anthropic refuses, with its texts, and sends the answers of
 * the script. It signs its thinking, and recognizes the signature for the same model and the same text only.
 */
export function startAnthropic(options: StubOptions = {}): Promise<Stub> {
  const newId = createIds('toolu_01', 22)
  const provider: Provider = {
    key: ANTHROPIC_KEY,
    base: '/v1',
    error,
    authorize,
    other,
    accept({ body }) {
      if (body === undefined) refuse('The request body is not valid JSON')
      checkRequest(body, MODELS[body.model] ?? Number.POSITIVE_INFINITY)
      if (!(body.model in MODELS)) refuse(`model: ${body.model}`, {}, 404)
      return (answer) => {
        const message = messageOf(body, answer, blocksOfAnswer(body, answer, newId))
        return body.stream ? messageStream(message, answer) : message
      }
    },
  }
  return startStub(provider, options)
}
