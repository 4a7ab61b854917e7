import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import { pino } from 'pino'
import { type Static, Type } from 'typebox'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { OneOf, Ref } from '../lib/wire.ts'
import { addOpenApi } from './openapi.ts'
import { type App, createServer, withSchemaTypes } from './server.ts'
import { bytesOf, callerGone, EventStream } from './sse.ts'

const Event = Type.Object(
  { type: OneOf(['svc_core', 'text']), text: Type.String(), metadata: Type.Optional(Type.Unknown()) },
  { $id: 'TestEvent' },
)
type Event = Static<typeof Event>

let app: App
let base: string
/** Events of the route, by the signal that says that the caller has gone. */
let events: (gone: AbortSignal) => AsyncIterable<Event>

const newServer = () =>
  createServer({
    bodyLimit: 1000,
    requestTimeout: 300,
    logger: pino({ level: 'silent' }),
    shapes: [Event],
    proxy: { trustProxy: [], basePath: '' },
  })

beforeAll(async () => {
  const server = newServer()
  await addOpenApi(server, [Event], 'test')
  app = withSchemaTypes(server)
  app.get(
    '/events',
    { config: { public: true }, schema: { operationId: 'stream', response: { 200: EventStream(Ref(Event)) } } },
    async (_request, reply) => events(callerGone(reply)),
  )
  await app.listen({ port: 0, host: '127.0.0.1' })
  base = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
})
afterAll(() => {
  // The client of these tests opens connections ahead of requests, which the server would wait for.
  app.server.closeAllConnections()
  return app.close()
})

test('the headers of an event stream come at once, and each event when it is made', async () => {
  const made = [Promise.withResolvers<Event>(), Promise.withResolvers<Event>()]
  events = async function* () {
    for (const { promise } of made) yield await promise
  }
  const response = await fetch(`${base}/events`)
  const header = (name: string) => response.headers.get(name)
  expect([response.status, header('cache-control')]).toEqual([200, 'no-cache'])
  expect(header('content-type')).toMatch(/^text\/event-stream/)
  expect(header('x-request-id')).toBeTruthy()
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  const first: Event = { type: 'svc_core', text: 'two\nlines' }
  made[0]!.resolve(first)
  expect((await reader.read()).value).toBe(`data: ${JSON.stringify(first)}\n\n`)
  made[1]!.resolve({ type: 'text', text: 'é' })
  expect((await reader.read()).value).toBe('data: {"type":"text","text":"é"}\n\n')
  expect((await reader.read()).done).toBe(true)
})

test('each event has the names of the surface, but for the texts and metadata of users', async () => {
  events = async function* () {
    yield { type: 'svc_core', text: 'svc_core', metadata: { type: 'svc_core' } }
  }
  const textOf = async (path: string) => (await fetch(`${base}${path}`)).text()
  const own = '"text":"svc_core","metadata":{"type":"svc_core"}}\n\n'
  expect(await textOf('/events')).toBe(`data: {"type":"svc_core",${own}`)
  expect(await textOf('/letta/events')).toBe(`data: {"type":"letta_core",${own}`)
})

test('events end when the caller goes', async () => {
  const ended = Promise.withResolvers<boolean>()
  events = async function* (gone) {
    try {
      yield { type: 'text', text: 'first' }
      await once(gone, 'abort')
    } finally {
      ended.resolve(gone.aborted)
    }
  }
  const caller = new AbortController()
  const response = await fetch(`${base}/events`, { signal: caller.signal })
  await response.body!.getReader().read()
  caller.abort()
  expect(await ended.promise).toBe(true)
})

test('no more events are made than a caller reads', async () => {
  let made = 0
  const source = async function* () {
    for (;;) yield { n: ++made }
  }
  const stream = bytesOf(source(), (event) => event)
  await once(stream, 'readable')
  for (let n = 0; n < 100; n++) await turn()
  expect(made).toBeLessThan(4)
  const [first] = await stream.setEncoding('utf8').take(1).toArray()
  expect(first).toMatch(/^data: {"n":1}\n\n/)
})

test('an error amid the events cuts the connection', async () => {
  events = async function* () {
    yield { type: 'text', text: 'first' }
    throw new Error('broken')
  }
  const response = await fetch(`${base}/events`)
  await expect(response.text()).rejects.toThrow()
})

test('while no event comes, comments keep the connection open', async () => {
  const last = Promise.withResolvers<Event>()
  const source = async function* () {
    yield await last.promise
  }
  const stream = bytesOf(source(), (event) => event, 1)
  const chunks: string[] = []
  for await (const chunk of stream.setEncoding('utf8')) {
    chunks.push(chunk)
    if (chunks.length === 3) last.resolve({ type: 'text', text: 'x' })
  }
  expect(chunks.slice(0, 3)).toEqual(Array(3).fill(': ping\n\n'))
  expect(chunks.filter((chunk) => chunk.startsWith('data:'))).toEqual(['data: {"type":"text","text":"x"}\n\n'])
})

test('a server that stops waits for no event stream, and cuts it, so that its reader knows', async () => {
  const sources: AbortSignal[] = []
  const stopping = newServer()
  const route = { config: { public: true }, schema: { response: { 200: EventStream(Ref(Event)) } } }
  withSchemaTypes(stopping).get('/events', route, async (_request, reply) => {
    const gone = callerGone(reply)
    sources.push(gone)
    return (async function* () {
      yield { type: 'text' as const, text: 'first' }
      await once(gone, 'abort')
    })()
  })
  const address = await stopping.listen({ port: 0, host: '127.0.0.1' })
  const readers = await Promise.all(
    [1, 2].map(async () => {
      const [response] = (await once(get(`${address}/events`, { agent: false }), 'response')) as [IncomingMessage]
      await once(response, 'data')
      return response
    }),
  )
  const ends = readers.map((reader) => once(reader, 'end'))
  await stopping.close()
  for (const end of ends) await expect(end).rejects.toThrow('aborted')
  expect(sources.map(({ aborted }) => aborted)).toEqual([true, true])
})

test('the OpenAPI document describes the events by their schema', async () => {
  const document = app.swagger() as { paths: Record<string, { get: { responses: Record<string, object> } }> }
  expect(document.paths['/events']!.get.responses[200]).toMatchObject({
    content: { 'text/event-stream': { schema: { $ref: '#/components/schemas/TestEvent' } } },
  })
})

test('HEAD gets the headers of an event stream alone', async () => {
  events = async function* () {
    yield { type: 'text', text: 'x' }
  }
  const response = await fetch(`${base}/events`, { method: 'HEAD' })
  expect([response.status, await response.text()]).toEqual([200, ''])
  expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/)
})

test('a POST route with an event stream must not run in a transaction', () => {
  const route = { schema: { response: { 200: EventStream(Event) } } }
  const server = withSchemaTypes(newServer())
  expect(() => server.post('/events', route, async () => events(new AbortController().signal))).toThrow(/idempotency/)
})
