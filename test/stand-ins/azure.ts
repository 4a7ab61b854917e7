import { vectorOf } from './openai.ts'
import { type Answer, type Asked, type Server, serve } from './wire.ts'

/** The key it accepts. */
export const AZURE_KEY = '0f1e2d3c4b5a69788796a5b4c3d2e1f0'

/** The dimensions of the deployments' models. Users choose the names of deployments. */
const DEPLOYMENTS: Record<string, number> = { 'text-embedding-3-small': 1536, 'our-vectors': 1536 }

/** Responses of Azure OpenAI. */
const error = (status: number, code: string, message: string): Answer => ({
  status,
  body: { error: { code, message } },
})
const WRONG_KEY = error(
  401,
  '401',
  'Access denied due to invalid subscription key or wrong API endpoint. Make sure to provide a valid key for an active subscription and use a correct regional API endpoint for your resource.',
)
export const RATE_LIMITED = error(
  429,
  '429',
  'Requests to the Embeddings_Create Operation under Azure OpenAI API have exceeded call rate limit of your current pricing tier.',
)

function answerTo({ method, path, headers, body }: Asked): Answer {
  if (headers['api-key'] !== AZURE_KEY) return WRONG_KEY
  const { pathname, searchParams } = new URL(path, 'http://stand-in')
  // Without an existing API version, every path is a 404.
  if (!/^\d{4}-\d\d-\d\d(-preview)?$/.test(searchParams.get('api-version') ?? '')) {
    return error(404, '404', 'Resource not found')
  }
  if (method === 'GET' && pathname === '/openai/models') {
    const data = [{ id: 'text-embedding-3-small', object: 'model', status: 'succeeded', lifecycle_status: 'preview' }]
    return { status: 200, body: { data, object: 'list' } }
  }
  const [, name = ''] = /^\/openai\/deployments\/([^/]+)\/embeddings$/.exec(pathname) ?? []
  const dimension = DEPLOYMENTS[name]
  if (!dimension) {
    return error(404, 'DeploymentNotFound', 'The API deployment for this resource does not exist.')
  }
  const data = [body.input].flat().map((text: string, index) => ({
    object: 'embedding',
    index,
    embedding: vectorOf(text, body.dimensions ?? dimension),
  }))
  const usage = { prompt_tokens: 8, total_tokens: 8 }
  return { status: 200, body: { object: 'list', data, model: 'text-embedding-3-small', usage } }
}

export async function startAzure(): Promise<Server> {
  return serve(answerTo)
}
