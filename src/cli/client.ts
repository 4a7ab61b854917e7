import { EventSourceParserStream } from 'eventsource-parser/stream'
import type { StreamEvent } from '../resources/messages/schema.ts'
import { ConnectionLost, connectionError, failureOf } from './server-error.ts'

/** A server and the key for it. */
export interface Connection {
  baseUrl: string
  apiKey: string
}

type Value = string | number | boolean | undefined
export type Query = Readonly<Record<string, Value | readonly string[]>>

interface Request {
  query?: Query | undefined
  /** JSON, or the parts of a form. */
  body?: unknown
  headers?: Record<string, string> | undefined
  signal?: AbortSignal | undefined
}

/** A resource with its version. */
export interface Versioned<T> {
  value: T
  etag: string | undefined
}

/** A path with its values percent-encoded: path`/v1/agents/${id}`. */
export const path = (texts: TemplateStringsArray, ...values: string[]) =>
  String.raw({ raw: texts }, ...values.map(encodeURIComponent))

function urlOf(baseUrl: string, route: string, query: Query = {}): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    for (const one of [value].flat()) if (one !== undefined) search.append(name, String(one))
  }
  return `${baseUrl}${route}${search.size > 0 ? `?${search}` : ''}`
}

/** The cursor of the next page, in the `Link` header of a list. */
function nextCursor({ headers }: Response): string | undefined {
  const link = /<([^>]*)>; rel="next"/.exec(headers.get('link') ?? '')?.[1]
  return link && (new URL(link, 'http://server').searchParams.get('after') ?? undefined)
}

/** The most rows of a page. */
const PAGE = 200

/** Sends requests to a server. Throws a RequestFailed for an error of the server, and a ConnectionLost without a response. */
function createSend({ baseUrl, apiKey }: Connection) {
  return async (method: string, route: string, { query, body, headers, signal }: Request = {}): Promise<Response> => {
    const isJson = body !== undefined && !(body instanceof FormData)
    const response = await fetch(urlOf(baseUrl, route, query), {
      method,
      redirect: 'manual',
      headers: {
        authorization: `Bearer ${apiKey}`,
        ...(isJson && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: isJson ? JSON.stringify(body) : (body as FormData) }),
      ...(signal && { signal }),
    }).catch((error) => {
      throw connectionError(error, baseUrl)
    })
    if (!response.ok) throw await failureOf(response, baseUrl)
    return response
  }
}

type Send = ReturnType<typeof createSend>

/** The rows of a list, page by page, `most` at most. */
async function* list<T>(send: Send, route: string, query: Query, most: number): AsyncGenerator<T> {
  let after: string | undefined
  let left = most
  do {
    const response = await send('GET', route, { query: { ...query, limit: Math.min(left, PAGE), after } })
    const page = (await response.json()) as T[]
    yield* page
    left -= page.length
    after = nextCursor(response)
  } while (left > 0 && after !== undefined)
}

/** The events of a response until their end. Throws a ConnectionLost where the stream is cut. */
async function* eventsOf({ body, url }: Response): AsyncGenerator<StreamEvent> {
  const stream = body!.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream())
  try {
    for await (const { data } of stream) {
      if (data === '[DONE]') return
      yield JSON.parse(data) as StreamEvent
    }
  } catch (error) {
    throw connectionError(error, url)
  }
  throw new ConnectionLost(`The stream of ${url} was cut.`)
}

type Headers = Record<string, string>

/**
 * The API of a server. Its functions throw a RequestFailed for an error of the server, and a ConnectionLost without a
 * response. The types of responses are those of the routes' schemas.
 */
export function createClient(connection: Connection) {
  const send = createSend(connection)
  const json = async <T>(method: string, route: string, request?: Request) =>
    (await (await send(method, route, request)).json()) as T
  return {
    send,
    list: <T>(route: string, query: Query = {}, most = Number.POSITIVE_INFINITY) => list<T>(send, route, query, most),
    async *events(route: string, request: Request) {
      yield* eventsOf(await send('POST', route, request))
    },
    get: <T>(route: string, query?: Query) => json<T>('GET', route, { query }),
    post: <T>(route: string, body: unknown, headers?: Headers) => json<T>('POST', route, { body, headers }),
    patch: <T>(route: string, body: unknown, headers?: Headers) => json<T>('PATCH', route, { body, headers }),
    put: <T>(route: string, body: unknown) => json<T>('PUT', route, { body }),
    delete: (route: string) => send('DELETE', route),
    /** A resource with its ETag, for `If-Match`. */
    async versioned<T>(route: string, query?: Query): Promise<Versioned<T>> {
      const response = await send('GET', route, { query })
      return { value: (await response.json()) as T, etag: response.headers.get('etag') ?? undefined }
    },
  }
}

export type Client = ReturnType<typeof createClient>
