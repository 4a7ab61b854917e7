import type { Asked, Answer as WireAnswer } from '../../stand-ins/wire.ts'
import { createIds } from '../ids.ts'
import { type Provider, type Refusal, refuse, type Stub, type StubOptions, startStub } from '../stub.ts'
import { chunksOf, eventStream, joined, partsOf, responseOf } from './answer.ts'
import { checkRequest } from './request.ts'

/** The key it accepts. */
export const GEMINI_KEY = 'AIzaSyStub'

const MODELS = ['gemini-3-pro-preview', 'gemini-3-flash-preview', 'gemini-2.5-pro', 'gemini-2.5-flash']

const STATUSES: Record<number, string> = {
  400: 'INVALID_ARGUMENT',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
}

const error = ({ status, message, fields }: Refusal) => ({
  error: { code: status, message, status: STATUSES[status] ?? 'UNKNOWN', ...fields },
})

function authorize({ path, headers }: Asked): void {
  const key = headers['x-goog-api-key'] ?? new URL(path, 'http://stub').searchParams.get('key')
  if (key === GEMINI_KEY) return
  if (!key) {
    refuse(
      "Method doesn't allow unregistered callers (callers without established identity). Please use API Key or other form of " +
        'API consumer identity to call this API.',
      {},
      403,
    )
  }
  const reason = {
    '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
    reason: 'API_KEY_INVALID',
    domain: 'googleapis.com',
  }
  refuse('API key not valid. Please pass a valid API key.', { details: [reason] })
}

/** The model and the method that a path names. */
const callOf = (path: string) =>
  /^\/v1beta\/models\/([^/:]+):(generateContent|streamGenerateContent)$/.exec(new URL(path, 'http://stub').pathname)

function other({ method, path }: Asked): WireAnswer | undefined {
  if (method === 'POST' && callOf(path)) return undefined
  if (method !== 'GET' || new URL(path, 'http://stub').pathname !== '/v1beta/models') return { status: 404, body: '' }
  const models = MODELS.map((name) => ({
    name: `models/${name}`,
    version: '001',
    displayName: name,
    inputTokenLimit: 1_048_576,
    outputTokenLimit: 65_536,
    supportedGenerationMethods: ['generateContent', 'countTokens'],
    thinking: true,
  }))
  return { status: 200, body: { models } }
}

/**
 * Gemini as a strict stub: generateContent and streamGenerateContent. It refuses the requests that Gemini refuses, with its
 * texts, and sends the answers of the script. `gemini-3-…` wants back the signatures of its calls.
 */
export function startGemini(options: StubOptions = {}): Promise<Stub> {
  const newSeal = createIds('', 8)
  const provider: Provider = {
    key: GEMINI_KEY,
    base: '/v1beta',
    error,
    authorize,
    other,
    accept({ path, body }) {
      const [, model = '', call] = callOf(path)!
      if (!MODELS.includes(model)) {
        const hint = 'Call ListModels to see the list of available models and their supported methods.'
        refuse(`models/${model} is not found for API version v1beta, or is not supported for ${call}. ${hint}`, {}, 404)
      }
      if (body === undefined) refuse('Invalid JSON payload received. Unexpected end of string.')
      checkRequest(body, model)
      return (answer) => {
        const signed = model.startsWith('gemini-3') || (answer.reasoning !== undefined && !!answer.calls?.length)
        const parts = [...partsOf(answer, signed, newSeal)]
        if (call === 'generateContent') return responseOf(model, answer, joined(parts), true)
        const chunks = chunksOf(model, answer, parts)
        return new URL(path, 'http://stub').searchParams.get('alt') === 'sse' ? eventStream(chunks) : [...chunks]
      }
    },
  }
  return startStub(provider, options)
}
