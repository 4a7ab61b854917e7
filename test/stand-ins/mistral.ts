import { vectorOf } from './openai.ts'
import { type Answer, type Asked, type Server, serve } from './wire.ts'

/** The key it accepts. */
export const MISTRAL_KEY = 'mistral-stand-in-key'

/** Responses of api.mistral.ai. */
const error = (status: number, type: string, message: string, code: string): Answer => ({
  status,
  body: { object: 'error', message, type, param: null, code },
})
export const CAPACITY = error(
  429,
  'service_tier_capacity_exceeded',
  'Service tier capacity exceeded for this model.',
  '3505',
)

const model = (id: string, name: string, completion_chat: boolean, max_context_length: number) => ({
  id,
  object: 'model',
  created: 1763400000,
  owned_by: 'mistralai',
  capabilities: { completion_chat, completion_fim: false, function_calling: completion_chat, vision: false },
  name,
  description: `Official ${name} Mistral AI model`,
  max_context_length,
  aliases: [name],
  deprecation: null,
  default_model_temperature: 0.7,
  type: 'base',
})
const MODELS = [
  model('mistral-large-latest', 'mistral-large-2411', true, 131_072),
  model('codestral-2508', 'codestral-2508', true, 256_000),
  model('mistral-embed', 'mistral-embed-2312', false, 8192),
  model('codestral-embed', 'codestral-embed', false, 8192),
  model('mistral-moderation-latest', 'mistral-moderation-2411', false, 8192),
  model('mistral-ocr-latest', 'mistral-ocr-2505', false, 16_384),
  model('voxtral-mini-transcribe-2507', 'voxtral-mini-transcribe-2507', false, 16_384),
  // The list has a model once for each of its aliases, and some models twice.
  model('mistral-large-latest', 'mistral-large-2411', true, 131_072),
]

const DIMENSIONS: Record<string, number> = { 'mistral-embed': 1024, 'codestral-embed': 1536 }

function answerTo({ method, path, headers, body }: Asked): Answer {
  if (headers.authorization !== `Bearer ${MISTRAL_KEY}`) return { status: 401, body: { detail: 'Unauthorized' } }
  if (method === 'GET' && path === '/v1/models') return { status: 200, body: { object: 'list', data: MODELS } }
  if (method !== 'POST' || path !== '/v1/embeddings') {
    return { status: 404, body: { message: 'no Route matched with those values' } }
  }
  const { model: name, input } = body as { model: string; input: string[] }
  const dimension = DIMENSIONS[name]
  if (!dimension) return error(400, 'invalid_model', `Invalid model: ${name}`, '1500')
  if (body.dimensions !== undefined) {
    return { status: 422, body: { detail: [{ type: 'extra_forbidden', loc: ['body', 'dimensions'] }] } }
  }
  const data = input.map((text, index) => ({ object: 'embedding', embedding: vectorOf(text, dimension), index }))
  const usage = { prompt_tokens: 8, total_tokens: 8, completion_tokens: 0, prompt_audio_seconds: null }
  return { status: 200, body: { id: 'b3f1c0de', object: 'list', data, model: name, usage } }
}

export async function startMistral(): Promise<Server> {
  return serve(answerTo)
}
