import { vectorOf } from './openai.ts'
import { signatureOf } from './sigv4.ts'
import { type Answer, type Asked, type Server, serve } from './wire.ts'

/** The credentials it accepts: an account's key, a temporary key, and a Bedrock API key. */
export const ACCESS_KEY = 'AKIASTANDINSTANDIN00'
export const SECRET = 'stand-in/secret+of/an+account'
export const TEMPORARY_KEY = 'ASIASTANDINSTANDIN00'
export const SESSION_TOKEN = 'IQoJb3JpZ2luX2VjEstandin=='
export const BEDROCK_KEY = 'bedrock-api-key-stand-in'
export const REGION = 'eu-central-1'

/** Responses of the service: a header holds the type of an error. */
const error = (status: number, kind: string, message: string): Answer => ({
  status,
  headers: { 'x-amzn-errortype': `${kind}:http://internal.amazon.com/coral/com.amazon.bedrock/` },
  body: { message },
})
export const THROTTLED = error(429, 'ThrottlingException', 'Too many requests, please wait before trying again.')

function refused(asked: Asked): Answer | undefined {
  const { authorization = '', 'x-amz-security-token': token } = asked.headers
  if (authorization.startsWith('Bearer ')) {
    if (authorization === `Bearer ${BEDROCK_KEY}`) return undefined
    return error(403, 'AccessDeniedException', 'Authentication failed: Please make sure your API Key is valid.')
  }
  const signature = signatureOf(asked, SECRET)
  if (!signature) return error(403, 'MissingAuthenticationTokenException', 'Missing Authentication Token')
  const known = signature.accessKey === ACCESS_KEY ? undefined : signature.accessKey === TEMPORARY_KEY && SESSION_TOKEN
  if (token !== known) {
    return error(403, 'UnrecognizedClientException', 'The security token included in the request is invalid.')
  }
  if (signature.region !== REGION || signature.service !== 'bedrock') {
    return error(403, 'InvalidSignatureException', `Credential should be scoped to a valid region, '${REGION}'.`)
  }
  if (!signature.right) {
    return error(
      403,
      'InvalidSignatureException',
      'The request signature we calculated does not match the signature you provided.',
    )
  }
  return undefined
}

const malformed = (message: string) => error(400, 'ValidationException', `Malformed input request: ${message}`)

type Body = Record<string, never>

const titan =
  (dimension: number) =>
  ({ inputText, ...rest }: Body): Answer => {
    if (typeof inputText !== 'string') return malformed('required key [inputText] not found')
    if (Object.keys(rest).length > 0) return malformed(`extraneous key [${Object.keys(rest)[0]}] is not permitted`)
    const embedding = vectorOf(inputText, dimension)
    return { status: 200, body: { embedding, embeddingsByType: { float: embedding }, inputTextTokenCount: 2 } }
  }

const cohere =
  (dimension: number) =>
  ({ texts, input_type }: { texts: string[]; input_type?: string }): Answer => {
    if (!['search_query', 'search_document'].includes(input_type ?? '')) {
      return malformed('required key [input_type] not found')
    }
    if (texts.length > 96) return malformed('#/texts: expected maximum item count: 96')
    const embeddings = texts.map((text) => vectorOf(text, dimension))
    return { status: 200, body: { id: 'c0', embeddings, response_type: 'embeddings_floats', texts } }
  }

const MODELS: Record<string, (body: never) => Answer> = {
  'amazon.titan-embed-text-v1': titan(1536),
  'amazon.titan-embed-text-v2:0': titan(1024),
  'cohere.embed-multilingual-v3': cohere(1024),
  // An inference profile: the model in any region of a part of the world.
  'eu.cohere.embed-v4:0': cohere(1536),
}

function answerTo(asked: Asked): Answer {
  const refusal = refused(asked)
  if (refusal) return refusal
  const [, name = ''] = /^\/model\/([^/]+)\/invoke$/.exec(asked.path) ?? []
  const invoke = MODELS[decodeURIComponent(name)]
  return invoke
    ? invoke(asked.body as never)
    : error(400, 'ValidationException', 'The provided model identifier is invalid.')
}

/** Implements the part of the Bedrock runtime's API that Cairn uses, and checks the signatures of requests. */
export async function startBedrock(): Promise<Server> {
  return serve(answerTo)
}
