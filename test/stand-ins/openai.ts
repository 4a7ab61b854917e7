import { type Answer, type Asked, type Otherwise, type Server, serve } from './wire.ts'

export type { Otherwise }

/** A server with the API of OpenAI, over real HTTP on loopback. */
export interface StandIn extends Server {
  /** Its base URL, with `/v1`. */
  url: string
  /** The embedding and language models it lists. */
  models: string[]
}

/** The key it accepts. */
export const KEY = 'sk-stand-in'

/** Dimensions of its embedding models. */
const DIMENSIONS: Record<string, number> = { 'text-embedding-3-small': 1536, 'acme-embed': 24, 'bge-odd': 7 }

export const MODELS = [
  'gpt-5-mini',
  'gpt-4o-mini',
  'gpt-4o',
  'text-embedding-3-small',
  'acme-embed',
  'whisper-1',
  'tts-1',
]

/** Recorded responses of api.openai.com: errors and the shape of lists. */
const WRONG_KEY = {
  error: {
    message:
      'Incorrect API key provided: sk-wrong. You can find your API key at https://platform.openai.com/account/api-keys.',
    type: 'invalid_request_error',
    param: null,
    code: 'invalid_api_key',
  },
}
const NO_MODEL = {
  error: {
    message: 'The model `none` does not exist or you do not have access to it.',
    type: 'invalid_request_error',
    param: null,
    code: 'model_not_found',
  },
}
export const LIMITED = {
  error: {
    message: 'Rate limit reached for text-embedding-3-small in organization org-x on tokens per min (TPM).',
    type: 'tokens',
    param: null,
    code: 'rate_limit_exceeded',
  },
}

/** The vector of a text: equal for equal texts, and of length 1. */
export function vectorOf(text: string, dimension: number): number[] {
  let seed = 7
  for (const character of text) seed = (Math.imul(seed, 31) + character.codePointAt(0)!) >>> 0
  const numbers = Array.from({ length: dimension }, () => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0
    return seed / 2 ** 31 - 1
  })
  const length = Math.hypot(...numbers)
  return numbers.map((number) => Math.fround(number / length))
}

interface Embedding {
  model: string
  input: string | string[]
  dimensions?: number
  encoding_format?: string
}

function embed({ model, input, dimensions, encoding_format }: Embedding): Answer {
  const dimension = dimensions ?? DIMENSIONS[model]
  if (dimension === undefined) return { status: 404, body: NO_MODEL }
  const data = [input].flat().map((text, index) => {
    const vector = vectorOf(text, dimension)
    const embedding =
      encoding_format === 'base64' ? Buffer.from(new Float32Array(vector).buffer).toString('base64') : vector
    return { object: 'embedding', index, embedding }
  })
  return { status: 200, body: { object: 'list', data, model, usage: { prompt_tokens: 5, total_tokens: 5 } } }
}

/** The usual response. */
function answerTo({ path, headers, body }: Asked, models: readonly string[]): Answer {
  if (headers.authorization !== `Bearer ${KEY}`) return { status: 401, body: WRONG_KEY }
  if (path === '/v1/models') {
    const data = models.map((id) => ({ id, object: 'model', created: 1706037612, owned_by: 'system' }))
    return { status: 200, body: { object: 'list', data } }
  }
  if (path === '/v1/embeddings') return embed(body)
  return { status: 404, body: { error: { message: `Invalid URL (GET ${path})`, type: 'invalid_request_error' } } }
}

export async function startOpenAi(): Promise<StandIn> {
  const models = [...MODELS]
  const server = await serve((asked) => answerTo(asked, standIn.models))
  const standIn: StandIn = Object.assign(server, { url: `${server.url}/v1`, models })
  return standIn
}
