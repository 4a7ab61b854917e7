import { addAbortSignal, Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, RouteOptions } from 'fastify'
import { type Static, type TSchema, Type } from 'typebox'
import type { Translate } from './letta-translation.ts'
import { hasLeft } from './request-log.ts'

const MEDIA_TYPE = 'text/event-stream'

/** Proxies close connections that are idle for a minute, or less. */
const PING_MS = 15_000

/** A comment, which clients ignore (HTML standard, § 9.2.6). */
const PING = ': ping\n\n'

/** The form of the events of a route, where it isn't the plain one. */
interface StreamForm {
  /** The name of an event that clients tell apart by its name. */
  nameOf?: (event: never) => string | undefined
  /** The id of an event, by which clients resume a stream (`Last-Event-ID`). */
  idOf?: (event: never) => number | undefined
  /** The last line of data of a stream that has ended well. */
  end?: string
}

/**
 * A response of events, for the `response` of a route. The handler returns an async iterable of them; each is sent as
 * `data: <JSON>` with no other field. A POST, PATCH or DELETE route needs `idempotency: 'row'` besides.
 */
export const EventStream = <T extends TSchema>(event: T, description = 'Events, each as `data: <JSON>`.') =>
  Type.Unsafe<AsyncIterable<Static<T>>>({ description, content: { [MEDIA_TYPE]: { schema: event } } })

/** A response of one value, or of events where the request asks for them: the handler returns the one or the other. */
export const ValueOrEvents = <V extends TSchema, E extends TSchema>(value: V, event: E, description: string) =>
  Type.Unsafe<Static<V> | AsyncIterable<Static<E>>>({
    description,
    content: { 'application/json': { schema: value }, [MEDIA_TYPE]: { schema: event } },
  })

/** The content of a response, where a stream is an event or the text that ends the stream. */
export function withEnd(content: Record<string, { schema: TSchema }>, end: string | undefined) {
  const events = content[MEDIA_TYPE]
  if (!events || end === undefined) return content
  const last = Type.Literal(end, { description: 'The data of the last line of a stream that has ended well: no JSON.' })
  return { ...content, [MEDIA_TYPE]: { schema: Type.Union([events.schema, last]) } }
}

/** The schema of a route's events; undefined for a route without an event stream. */
function eventSchemaOf({ schema }: RouteOptions): TSchema | undefined {
  const responses = schema?.response as Record<string, { content?: Record<string, { schema: TSchema }> }> | undefined
  return responses?.[200]?.content?.[MEDIA_TYPE]?.schema
}

const isEvents = (value: unknown): value is AsyncIterable<unknown> =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value && !(value instanceof Readable)

/** A signal that is aborted once the caller has closed the connection, for the source of the events. */
export function callerGone({ raw }: Pick<FastifyReply, 'raw'>): AbortSignal {
  const gone = new AbortController()
  const abort = () => hasLeft({ raw }) && gone.abort()
  abort()
  raw.once('close', abort)
  return gone.signal
}

/**
 * The bytes of an event stream, one event ahead of the reader; `destroy` ends the iterator of the events. `toWire` gives an
 * event the names of the caller.
 */
export function bytesOf(
  events: AsyncIterable<unknown>,
  toWire: (event: unknown) => unknown,
  pingMs = PING_MS,
  { nameOf, idOf, end }: StreamForm = {},
) {
  const textOf = (event: unknown) => {
    const name = nameOf?.(event as never)
    const id = idOf?.(event as never)
    return `${name ? `event: ${name}\n` : ''}${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(toWire(event))}\n\n`
  }
  const iterator = events[Symbol.asyncIterator]()
  let pending = false
  const take = async () => {
    try {
      const { done, value } = await iterator.next()
      pending = false
      if (done && end) stream.push(`data: ${end}\n\n`)
      stream.push(done ? null : textOf(value))
    } catch (error) {
      stream.destroy(error as Error)
    }
  }
  const stream = new Readable({
    highWaterMark: 1,
    read() {
      // A ping triggers a read while the next event is awaited.
      if (pending) return
      pending = true
      take()
    },
    destroy(error, done) {
      clearInterval(pings)
      Promise.resolve(iterator.return?.()).catch(() => {})
      done(error)
    },
  })
  const pings = setInterval(() => {
    // Pings would pile up for a caller that doesn't read.
    if (stream.readableLength === 0 && !stream.readableEnded) stream.push(PING)
  }, pingMs).unref()
  return stream
}

/**
 * Sends the events that handlers of EventStream routes return: the headers at once, then each event in the names of the
 * caller's surface. An error after the headers cuts the connection, and is logged. So does the stop of the server, which
 * would wait for the last event otherwise: the caller sees that more would have come.
 */
export function addEventStreams(app: FastifyInstance, translate: Translate): void {
  const stopping = new AbortController()
  app.addHook('preClose', async () => stopping.abort())
  app.addHook('onRoute', (route) => {
    const event = eventSchemaOf(route)
    if (!event) return
    const writes = [route.method].flat().some((method) => ['POST', 'PATCH', 'DELETE'].includes(method))
    if (writes && route.config?.idempotency !== 'row') {
      throw new Error(`${route.url}: an event stream outlasts a transaction. Set idempotency: 'row' in its config.`)
    }
    const { handler } = route
    route.handler = async function (request, reply) {
      const events: unknown = await handler.call(this, request, reply)
      if (!isEvents(events)) return events
      reply.headers({ 'content-type': MEDIA_TYPE, 'cache-control': 'no-cache', 'x-accel-buffering': 'no' })
      if (request.method === 'HEAD') return ''
      reply.raw.once('pipe', () => reply.raw.flushHeaders())
      const toWire = (value: unknown) => translate(request, event, value)
      return addAbortSignal(stopping.signal, bytesOf(events, toWire, PING_MS, route.config?.stream))
    }
  })
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The form of the route's events. */
    stream?: StreamForm
  }
}
