import { vectorOf } from './openai.ts'
import { type Answer, type Asked, type Server, serve } from './wire.ts'

/** The key it accepts. */
export const GOOGLE_KEY = 'AIzaSy-stand-in'

/** Responses of its services. */
const error = (code: number, status: string, message: string, details: unknown[] = []): Answer => ({
  status: code,
  body: { error: { code, message, status, ...(details.length > 0 && { details }) } },
})
const wrongKey = (service: string) =>
  error(400, 'INVALID_ARGUMENT', 'API key not valid. Please pass a valid API key.', [
    {
      '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
      reason: 'API_KEY_INVALID',
      domain: 'googleapis.com',
      metadata: { service },
    },
    {
      '@type': 'type.googleapis.com/google.rpc.LocalizedMessage',
      locale: 'en-US',
      message: 'API key not valid. Please pass a valid API key.',
    },
  ])
const noKey = error(
  403,
  'PERMISSION_DENIED',
  "Method doesn't allow unregistered callers (callers without established identity). Please use API Key or other form of API consumer identity to call this API.",
)
export const EXHAUSTED = error(
  429,
  'RESOURCE_EXHAUSTED',
  'You exceeded your current quota, please check your plan and billing details.',
  [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '0s' }],
)

const model = (name: string, displayName: string, limits: [number, number], ...methods: string[]) => ({
  name: `models/${name}`,
  version: '001',
  displayName,
  description: `Stable release of ${displayName}`,
  inputTokenLimit: limits[0],
  outputTokenLimit: limits[1],
  supportedGenerationMethods: methods,
})
const MODELS = [
  model(
    'gemini-2.5-pro',
    'Gemini 2.5 Pro',
    [1_048_576, 65_536],
    'generateContent',
    'countTokens',
    'batchGenerateContent',
  ),
  model(
    'gemini-2.5-flash-preview-tts',
    'Gemini 2.5 Flash Preview TTS',
    [8192, 16_384],
    'countTokens',
    'generateContent',
  ),
  model('gemini-2.5-flash-image', 'Nano Banana', [32_768, 32_768], 'generateContent', 'countTokens'),
  model('gemini-embedding-001', 'Gemini Embedding 001', [2048, 1], 'embedContent', 'countTextTokens', 'countTokens'),
  model('aqa', 'Model that performs Attributed Question Answering.', [7168, 1024], 'generateAnswer'),
  model('imagen-4.0-generate-001', 'Imagen 4', [480, 8192], 'predict'),
]

const DIMENSIONS: Record<string, number> = {
  'gemini-embedding-001': 3072,
  'gemini-embedding-2': 3072,
  'text-embedding-005': 768,
}
const TASKS = ['RETRIEVAL_QUERY', 'RETRIEVAL_DOCUMENT', 'SEMANTIC_SIMILARITY', 'CLASSIFICATION', 'CLUSTERING']

/** The vector of a text, or the error response to an invalid request. */
function valuesOf(name: string, text: unknown, task: unknown, dimension?: number): number[] | Answer {
  const full = DIMENSIONS[name]
  if (full === undefined) return error(404, 'NOT_FOUND', `models/${name} is not found for API version v1beta.`)
  if (typeof text !== 'string') return error(400, 'INVALID_ARGUMENT', 'content is required')
  if (task !== undefined && !TASKS.includes(task as string)) {
    return error(400, 'INVALID_ARGUMENT', `Invalid value at 'task_type': "${task}"`)
  }
  return vectorOf(text, dimension ?? full)
}

/** A response of vectors, or the first error among them. */
function answered(vectors: (number[] | Answer)[], body: (vectors: number[][]) => unknown): Answer {
  const refused = vectors.find((vector): vector is Answer => !Array.isArray(vector))
  return refused ?? { status: 200, body: body(vectors as number[][]) }
}

interface Content {
  model: string
  content: { parts: { text: string }[] }
  taskType?: string
  outputDimensionality?: number
}

const NOTHING: Answer = { status: 404, headers: { 'content-type': 'text/html' }, body: '<html>404. That’s an error.' }

const keyed = (service: string, headers: Asked['headers']) =>
  headers['x-goog-api-key'] === undefined
    ? noKey
    : headers['x-goog-api-key'] === GOOGLE_KEY
      ? undefined
      : wrongKey(service)

/** The Gemini API. */
function answerTo({ method, path, headers, body }: Asked): Answer {
  const refused = keyed('generativelanguage.googleapis.com', headers)
  if (refused) return refused
  const { pathname, searchParams } = new URL(path, 'http://stand-in')
  if (method === 'GET' && pathname === '/v1beta/models') {
    const models = MODELS.slice(0, Number(searchParams.get('pageSize') ?? 50))
    return { status: 200, body: { models, ...(models.length < MODELS.length && { nextPageToken: 'Ch' }) } }
  }
  const [, name = '', call] = /^\/v1beta\/models\/([^/:]+):(\w+)$/.exec(pathname) ?? []
  const embed = (one: Content) =>
    one.model === `models/${name}`
      ? valuesOf(name, one.content.parts[0]?.text, one.taskType, one.outputDimensionality)
      : error(400, 'INVALID_ARGUMENT', `The model in the request doesn't match ${name}.`)
  if (call === 'embedContent') return answered([embed(body)], ([values]) => ({ embedding: { values } }))
  if (call !== 'batchEmbedContents') return NOTHING
  const requests = body.requests as Content[]
  if (requests.length > 100) {
    return error(
      400,
      'INVALID_ARGUMENT',
      'BatchEmbedContentsRequest.requests: at most 100 requests can be in one batch',
    )
  }
  return answered(requests.map(embed), (vectors) => ({ embeddings: vectors.map((values) => ({ values })) }))
}

interface Instance {
  content: string
  task_type?: string
}

/** Vertex AI in express mode: with a key instead of a project. */
function vertexAnswerTo({ path, headers, body }: Asked): Answer {
  const refused = keyed('aiplatform.googleapis.com', headers)
  if (refused) return refused
  const [, name = '', call] = /^\/v1\/publishers\/google\/models\/([^/:]+):(\w+)$/.exec(path) ?? []
  if (call === 'embedContent') {
    const { content, embedContentConfig: config = {} } = body
    const vector = valuesOf(name, content.parts[0]?.text, config.taskType, config.outputDimensionality)
    return answered([vector], ([values]) => ({ embedding: { values }, usageMetadata: { promptTokenCount: 2 } }))
  }
  if (call !== 'predict') return NOTHING
  const vectors = (body.instances as Instance[]).map(({ content, task_type }) =>
    valuesOf(name, content, task_type, body.parameters?.outputDimensionality),
  )
  return answered(vectors, (all) => ({
    predictions: all.map((values) => ({ embeddings: { values, statistics: { truncated: false, token_count: 2 } } })),
    metadata: { billableCharacterCount: 6 },
  }))
}

export async function startGoogle(): Promise<Server> {
  return serve(answerTo)
}

export async function startVertex(): Promise<Server> {
  return serve(vertexAnswerTo)
}
