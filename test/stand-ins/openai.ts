import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A request the stand-in was sent. */
export interface Asked {
  method: string
  path: string
  headers: IncomingMessage['headers']
  // biome-ignore lint/suspicious/noExplicitAny: tests read what they expect
  body: any
}

/** An answer other than the usual one: of any status, never, or a connection that is cut in the middle. */
export type Otherwise = { status: number; headers?: Record<string, string>; body?: unknown } | 'never' | 'cut'

/** A server that speaks the OpenAI wire, over real HTTP on loopback. */
export interface StandIn {
  /** Its base URL, with `/v1`. */
  url: string
  /** What it was asked, in order. */
  asked: Asked[]
  /** Answers otherwise where this gives something. */
  otherwise: (request: Asked) => Otherwise | undefined
  /** The embedding and language models it lists. */
  models: string[]
  close(): Promise<void>
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

/** As api.openai.com answers, recorded: errors and the shape of lists. */
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

/** A vector of a text: the same for the same text, and of length 1. */
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

function embed({ model, input, dimensions, encoding_format }: Embedding): Exclude<Otherwise, string> {
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

/** What is usually answered. */
function answerTo({ path, headers, body }: Asked, models: readonly string[]): Exclude<Otherwise, string> {
  if (headers.authorization !== `Bearer ${KEY}`) return { status: 401, body: WRONG_KEY }
  if (path === '/v1/models') {
    const data = models.map((id) => ({ id, object: 'model', created: 1706037612, owned_by: 'system' }))
    return { status: 200, body: { object: 'list', data } }
  }
  if (path === '/v1/embeddings') return embed(body)
  return { status: 404, body: { error: { message: `Invalid URL (GET ${path})`, type: 'invalid_request_error' } } }
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const text = Buffer.concat(chunks).toString()
  return text === '' ? undefined : JSON.parse(text)
}

function send(response: ServerResponse, answer: Otherwise): void {
  if (answer === 'never') return
  if (answer === 'cut') {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' })
    response.write('{"object":"list","data":[')
    setImmediate(() => response.destroy())
    return
  }
  const { status, headers = {}, body } = answer
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(typeof body === 'string' ? body : JSON.stringify(body))
}

export async function startOpenAi(): Promise<StandIn> {
  const standIn: StandIn = {
    url: '',
    asked: [],
    otherwise: () => undefined,
    models: [...MODELS],
    async close() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
  const server = createServer(async (request, response) => {
    const { method = '', url: path = '', headers } = request
    const asked = { method, path, headers, body: await bodyOf(request).catch(() => undefined) }
    standIn.asked.push(asked)
    send(response, standIn.otherwise(asked) ?? answerTo(asked, standIn.models))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  standIn.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  return standIn
}
