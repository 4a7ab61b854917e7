import { vectorOf } from './openai.ts'
import { type Answer, type Asked, type Server, serve } from './wire.ts'

/** The key it accepts. */
export const TOGETHER_KEY = 'tgp_v1_stand-in'

/** Responses of api.together.xyz. */
const error = (status: number, type: string, message: string, code: string | null): Answer => ({
  status,
  body: { id: 'oBzQwEq-stand-in', error: { message, type, param: null, code } },
})
export const RATE = error(429, 'rate_limit', 'You have been rate limited.', null)

const model = (id: string, type: string, display_name: string, context_length?: number) => ({
  id,
  object: 'model',
  created: 1733466629,
  type,
  running: false,
  display_name,
  organization: id.split('/')[0],
  license: 'other',
  ...(context_length && { context_length }),
  config: { chat_template: null, stop: [], bos_token: null, eos_token: null },
  pricing: { hourly: 0, input: 0.88, output: 0.88, base: 0, finetune: 0 },
})
const MODELS = [
  model('meta-llama/Llama-3.3-70B-Instruct-Turbo', 'chat', 'Meta Llama 3.3 70B Instruct Turbo', 131_072),
  model('meta-llama/Meta-Llama-3.1-8B-Reference', 'language', 'Meta Llama 3.1 8B', 16_384),
  model('intfloat/multilingual-e5-large-instruct', 'embedding', 'Multilingual E5 Large Instruct', 514),
  model('black-forest-labs/FLUX.1-schnell', 'image', 'FLUX.1 Schnell'),
  model('ByteDance-Seed/Seedream-4.0', 'image', 'ByteDance Seedream 4.0'),
  model('kwaivgI/kling-2.1-master', 'video', 'Kling 2.1 Master'),
  model('cartesia/sonic-2', 'audio', 'Cartesia Sonic 2'),
  model('nvidia/parakeet-tdt-0.6b-v3', 'transcribe', 'Parakeet TDT 0.6B v3'),
  model('meta-llama/Llama-Guard-4-12B', 'moderation', 'Llama Guard 4 12B', 1_048_576),
  model('Salesforce/Llama-Rank-V1', 'rerank', 'Salesforce Llama Rank V1', 8192),
]

const DIMENSIONS: Record<string, number> = { 'intfloat/multilingual-e5-large-instruct': 1024 }

function answerTo({ method, path, headers, body }: Asked): Answer {
  if (headers.authorization !== `Bearer ${TOGETHER_KEY}`) {
    return error(401, 'invalid_request_error', 'Invalid API key provided.', 'invalid_api_key')
  }
  // A bare list, unlike OpenAI's.
  if (method === 'GET' && path === '/v1/models') return { status: 200, body: MODELS }
  if (method !== 'POST' || path !== '/v1/embeddings') {
    return error(404, 'invalid_request_error', `Invalid URL (${method} ${path})`, null)
  }
  const dimension = DIMENSIONS[body.model]
  if (!dimension) {
    return error(404, 'invalid_request_error', `Unable to access model ${body.model}.`, 'model_not_available')
  }
  const data = [body.input].flat().map((text: string, index) => ({
    object: 'embedding',
    embedding: vectorOf(text, dimension),
    index,
  }))
  return { status: 200, body: { model: body.model, object: 'list', data } }
}

export async function startTogether(): Promise<Server> {
  return serve(answerTo)
}
