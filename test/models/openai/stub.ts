import type { Asked, Answer as WireAnswer } from '../../stand-ins/wire.ts'
import { createIds } from '../ids.ts'
import { type Provider, type Refusal, refuse, type Stub, type StubOptions, startStub } from '../stub.ts'
import { chatCompletion, chatStream } from './chat-answer.ts'
import { checkChatRequest } from './chat-request.ts'
import { createResponses } from './responses.ts'

/** The key it accepts. */
export const OPENAI_KEY = 'sk-proj-stub'

const MODELS = ['gpt-5-mini', 'gpt-5', 'gpt-4.1', 'gpt-4o', 'gpt-4o-mini', 'o4-mini', 'text-embedding-3-small']

/** The body of an error. */
export const openAiError = ({ message, status, fields }: Refusal) => ({
  error: {
    message,
    type: status === 429 ? 'tokens' : status >= 500 ? 'server_error' : 'invalid_request_error',
    param: null,
    code: null,
    ...fields,
  },
})

/** Refuses a request without the key, in the words of OpenAI. */
export function authorize({ headers: { authorization } }: Asked): void {
  if (authorization === `Bearer ${OPENAI_KEY}`) return
  if (!authorization) {
    refuse(
      "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth " +
        '(i.e. Authorization: Bearer YOUR_KEY). You can obtain an API key from https://platform.openai.com/account/api-keys.',
      {},
      401,
    )
  }
  const shown = authorization.replace('Bearer ', '').replace(/^(.{4}).*(.{4})$/, '$1****$2')
  refuse(
    `Incorrect API key provided: ${shown}. You can find your API key at https://platform.openai.com/account/api-keys.`,
    { code: 'invalid_api_key' },
    401,
  )
}

function other({ method, path }: Asked): WireAnswer | undefined {
  if (method === 'GET' && path === '/v1/models') {
    const data = MODELS.map((id) => ({ id, object: 'model', created: 1_752_000_000, owned_by: 'system' }))
    return { status: 200, body: { object: 'list', data } }
  }
  if (method === 'POST' && ['/v1/chat/completions', '/v1/responses'].includes(path)) return undefined
  return refuse(`Invalid URL (${method} ${path})`, {}, 404)
}

function checkModel({ model }: { model: string }): void {
  if (MODELS.includes(model)) return
  const message = `The model \`${model}\` does not exist or you do not have access to it.`
  refuse(message, { code: 'model_not_found' }, 404)
}

/**
 * OpenAI as a strict stub: chat completions and responses. It refuses the requests that OpenAI refuses, with its texts, and
 * sends the answers of the script. Models: `gpt-4o-mini` and others, `gpt-5-mini` and others that reason.
 */
export function startOpenAi(options: StubOptions = {}): Promise<Stub> {
  const newId = createIds('call_')
  const responses = createResponses(newId)
  const provider: Provider = {
    key: OPENAI_KEY,
    base: '/v1',
    error: openAiError,
    authorize,
    other,
    accept({ path, body }) {
      if (path === '/v1/responses') return responses.accept(body, checkModel)
      if (body === undefined) refuse('We could not parse the JSON body of your request.')
      checkChatRequest(body)
      checkModel(body)
      return (answer) => (body.stream ? chatStream(body, answer, newId) : chatCompletion(body, answer, newId))
    },
  }
  return startStub(provider, options)
}
