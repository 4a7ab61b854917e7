import { type Answer, type Asked, type Server, serve } from './wire.ts'

/** The key it accepts. */
export const ANTHROPIC_KEY = 'sk-ant-api03-stand-in'

/** Responses of api.anthropic.com. */
const error = (type: string, message: string) => ({
  type: 'error',
  error: { type, message },
  request_id: 'req_011CStandInStandInStandIn',
})
export const OVERLOADED: Answer = { status: 529, body: error('overloaded_error', 'Overloaded') }

const MODELS = [
  {
    type: 'model',
    id: 'claude-opus-4-6',
    display_name: 'Claude Opus 4.6',
    created_at: '2026-02-04T00:00:00Z',
    max_input_tokens: 1_000_000,
    max_tokens: 128_000,
  },
  {
    type: 'model',
    id: 'claude-haiku-4-5-20251001',
    display_name: 'Claude Haiku 4.5',
    created_at: '2025-10-15T00:00:00Z',
  },
]

/** The size of a page by default, and at most. */
const [PAGE, MOST] = [20, 1000]

function answerTo({ path, headers }: Asked): Answer {
  const { pathname, searchParams } = new URL(path, 'http://stand-in')
  if (headers['x-api-key'] === undefined) {
    return { status: 401, body: error('authentication_error', 'x-api-key header is required') }
  }
  if (headers['x-api-key'] !== ANTHROPIC_KEY) {
    return { status: 401, body: error('authentication_error', 'invalid x-api-key') }
  }
  if (headers['anthropic-version'] !== '2023-06-01') {
    return { status: 400, body: error('invalid_request_error', 'anthropic-version: header is required') }
  }
  if (pathname !== '/v1/models') return { status: 404, body: error('not_found_error', 'Not Found') }
  const limit = Number(searchParams.get('limit') ?? PAGE)
  if (limit < 1 || limit > MOST) {
    return {
      status: 400,
      body: error('invalid_request_error', 'limit: Input should be less than or equal to 1000'),
    }
  }
  const data = MODELS.slice(0, limit)
  const ends = { first_id: data[0]!.id, last_id: data.at(-1)!.id }
  return { status: 200, body: { data, has_more: data.length < MODELS.length, ...ends } }
}

/** Implements the part of Anthropic's API that Cairn uses: the list of models. */
export async function startAnthropic(): Promise<Server> {
  return serve(answerTo)
}
