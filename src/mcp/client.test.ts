import { afterEach, describe, expect, test, vi } from 'vitest'
import { type Era, type StandIn, startMcp } from '../../test/stand-ins/mcp.ts'
import type { Asked, Otherwise } from '../../test/stand-ins/wire.ts'
import { createEgress, type Egress, type EgressBounds } from '../lib/egress.ts'
import { createMcpClient, type McpClient } from './client.ts'
import type { HttpAddress } from './connect.ts'
import { McpError } from './mcp-error.ts'

const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const one of open.splice(0)) await one.close()
})

async function start(era?: Era): Promise<StandIn> {
  const standIn = await startMcp(era)
  open.push(standIn)
  return standIn
}

const NO_PROGRAMS = { connect: () => Promise.reject(new Error('There are no programs.')) }

function clientWith(bounds: EgressBounds = {}, limits?: { listMs: number; callMs: number }): McpClient {
  const egress: Egress = createEgress(['loopback'], bounds)
  open.push(egress)
  return createMcpClient({ fetch: egress.fetch, version: 'test', programs: NO_PROGRAMS }, limits)
}

/** Limits for servers that never answer. */
const SHORT = { listMs: 300, callMs: 300 }

/** The method of a request's message. */
const methodOf = ({ body }: Asked): string | undefined => body?.method

/** Does to the calls of tools what a test wants, and nothing to other requests. */
const onCalls = (answer: Otherwise) => (asked: Asked) => (methodOf(asked) === 'tools/call' ? answer : undefined)

const at = (standIn: StandIn, more: Partial<HttpAddress> = {}): HttpAddress => ({
  key: standIn.url,
  type: 'streamable_http',
  url: `${standIn.url}/mcp`,
  headers: {},
  ...more,
})

const echo = { name: 'echo', inputSchema: { type: 'object' as const } }

describe.each(['legacy', 'modern', 'both'] as const)('a server of the era %s', (era) => {
  test('lists its tools and runs them', async () => {
    const standIn = await start(era)
    const client = clientWith()
    const tools = await client.listTools(at(standIn))
    expect(tools.map(({ name }) => name)).toEqual(['echo', 'add', 'look', 'fail'])
    expect(tools[0]).toMatchObject({ annotations: { readOnlyHint: true }, inputSchema: { required: ['message'] } })
    const result = await client.callTool(at(standIn), echo, { message: 'hello' })
    expect(result).toEqual({ status: 'success', text: 'Echo: hello', images: [] })
    const failed = await client.callTool(at(standIn), { ...echo, name: 'fail' }, {})
    expect(failed).toMatchObject({ status: 'error', text: 'It broke.' })
    const wrong = await client.callTool(at(standIn), echo, {})
    expect(wrong).toMatchObject({ status: 'error', text: expect.stringContaining('message') })
    const absent = await client.callTool(at(standIn), { ...echo, name: 'absent' }, {})
    expect(absent).toMatchObject({ status: 'error', text: expect.stringContaining('absent') })
  })

  test('gets the headers of its caller with each request', async () => {
    const standIn = await start(era)
    const headers = { 'X-Agent-Id': 'agent-1', Authorization: 'Bearer token' }
    await clientWith().callTool(at(standIn, { headers }), echo, { message: 'hello' })
    for (const { headers } of standIn.asked) {
      expect(headers).toMatchObject({ 'x-agent-id': 'agent-1', authorization: 'Bearer token' })
    }
  })
})

test('a server that speaks over SSE lists its tools and runs them, with the headers of its caller', async () => {
  const standIn = await start('sse')
  const client = clientWith()
  const address = at(standIn, { type: 'sse', headers: { 'X-Agent-Id': 'agent-1' } })
  expect(await client.listTools(address)).toHaveLength(4)
  const results = ['one', 'two'].map((message) => client.callTool(address, echo, { message }))
  expect((await Promise.all(results)).map(({ text }) => text)).toEqual(['Echo: one', 'Echo: two'])
  for (const { headers } of standIn.asked) expect(headers).toMatchObject({ 'x-agent-id': 'agent-1' })
  const streams = standIn.asked.filter(({ method }) => method === 'GET')
  expect(await Promise.all(streams.map(({ closed }) => closed))).toEqual([false, false, false])
})

/** The error of a call that can't be made. */
const refusalOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'it succeeded',
    (error) => (error instanceof McpError ? `${error.kind}: ${error.message}` : error),
  )

async function* endless(chunk: string | Buffer, left = Number.POSITIVE_INFINITY) {
  for (let n = 0; n < left; n++) {
    yield chunk
    await new Promise((next) => setTimeout(next, 1))
  }
}

describe('a server that misbehaves', () => {
  test('is given up when it never answers, and its connection is closed', async () => {
    const standIn = await start()
    standIn.otherwise = () => 'never'
    const client = clientWith({}, SHORT)
    expect(await refusalOf(client.listTools(at(standIn)))).toBe('unreachable: it takes too long')
    expect(await standIn.asked[0]!.closed).toBe(false)
  })

  test('is given up when it drips, be it comments of a stream or the start of a response', async () => {
    for (const headers of [{}, { 'content-type': 'application/json' }]) {
      const standIn = await start('modern')
      const client = clientWith({}, SHORT)
      standIn.otherwise = onCalls({ status: 200, headers, body: endless(': drip\n\n') })
      const error = await refusalOf(client.callTool(at(standIn), echo, { message: 'hello' }))
      expect(error).toMatchObject({ name: 'TimeoutError' })
      expect(await standIn.asked.find((asked) => methodOf(asked) === 'tools/call')!.closed).toBe(false)
    }
  })

  test('is cut off after the allowed number of bytes, however large its response is', async () => {
    const megabyte = Buffer.alloc(1024 * 1024, ' ')
    for (const type of ['application/json', 'text/event-stream']) {
      const standIn = await start('modern')
      const body = endless(megabyte, 400)
      standIn.otherwise = onCalls({ status: 200, headers: { 'content-type': type }, body })
      const call = clientWith({ maxBytes: 1024 * 1024 }).callTool(at(standIn), echo, { message: 'hello' })
      expect(await refusalOf(call)).toBe('unreachable: The answer has more than 1048576 bytes')
      expect(await standIn.asked.at(-1)!.closed).toBe(false)
    }
  })

  test('leads nowhere by a redirect', async () => {
    const [standIn, inside] = [await start(), await start()]
    standIn.otherwise = () => ({ status: 307, headers: { location: `${inside.url}/mcp` } })
    expect(await refusalOf(clientWith().listTools(at(standIn)))).toBe('unreachable: it answers 307')
    expect(inside.asked).toEqual([])
  })

  test('is not reached in a network that the operator has not allowed', async () => {
    const standIn = await start()
    const egress = createEgress([])
    open.push(egress)
    const client = createMcpClient({ fetch: egress.fetch, version: 'test', programs: NO_PROGRAMS })
    expect(await refusalOf(client.listTools(at(standIn)))).toContain('CAIRN_ALLOWED_NETWORKS')
    expect(standIn.asked).toEqual([])
  })

  test('gets a second connection, and no third, where it has lost the session', async () => {
    const standIn = await start('legacy')
    let calls = 0
    standIn.otherwise = (asked) => {
      if (methodOf(asked) === 'tools/call' && calls++ === 0) standIn.forget()
      return undefined
    }
    const client = clientWith()
    expect(await client.callTool(at(standIn), echo, { message: 'again' })).toMatchObject({ text: 'Echo: again' })
    expect(calls).toBe(2)
    standIn.otherwise = onCalls({ status: 404, body: 'Session not found' })
    const error = await refusalOf(client.callTool(at(standIn), echo, { message: 'again' }))
    expect(error).toBe('unreachable: it answers 404')
    expect(standIn.asked.filter((asked) => methodOf(asked) === 'tools/call')).toHaveLength(4)
  })

  test('is reported as such when it cuts the connection, or speaks another language', async () => {
    const cases: [Otherwise, RegExp][] = [
      ['cut', /^unreachable: /],
      [{ status: 500, body: 'Internal error' }, /^unreachable: it answers 500$/],
      [{ status: 200, headers: { 'content-type': 'text/html' }, body: '<html>' }, /^unreachable: /],
      [{ status: 401, body: '' }, /^unauthorized: .*401/],
    ]
    for (const [answer, message] of cases) {
      const standIn = await start()
      standIn.otherwise = () => answer
      expect(await refusalOf(clientWith().listTools(at(standIn)))).toMatch(message)
    }
  })

  test('has a pause after three failed connections, and one connection tries it afterwards', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'performance'] })
    const standIn = await start()
    const client = clientWith()
    const call = () => refusalOf(client.callTool(at(standIn), echo, { message: 'hello' }))
    standIn.otherwise = () => ({ status: 503, body: '' })
    for (let n = 0; n < 3; n++) expect(await call()).toBe('unreachable: it answers 503')
    const asked = standIn.asked.length
    expect(await call()).toBe('unreachable: it has failed 3 times: it is tried again in 30 s')
    expect(standIn.asked).toHaveLength(asked)
    vi.setSystemTime(Date.now() + 30_001)
    const both = await Promise.all([call(), call()])
    expect(both.sort()).toEqual([
      'unreachable: it answers 503',
      'unreachable: it has failed 3 times: it is tried again in 30 s',
    ])
    standIn.otherwise = () => undefined
    expect(await call()).toContain('tried again')
    expect(await client.listTools(at(standIn))).toHaveLength(4)
    vi.setSystemTime(Date.now() + 30_001)
    expect(await call()).toBe('it succeeded')
    vi.useRealTimers()
  })
})

describe('a server that was connected to before', () => {
  test('is not asked again for its era', async () => {
    for (const era of ['legacy', 'modern'] as const) {
      const standIn = await start(era)
      const client = clientWith()
      await client.callTool(at(standIn), echo, { message: 'hello' })
      await client.callTool(at(standIn), echo, { message: 'hello' })
      expect(standIn.asked.filter((asked) => methodOf(asked) === 'server/discover')).toHaveLength(1)
    }
  })

  test('is found again when it has changed its era', async () => {
    const modern = await start('modern')
    const client = clientWith()
    await client.callTool(at(modern, { key: 'one' }), echo, { message: 'hello' })
    const legacy = await start('legacy')
    expect(await client.callTool(at(legacy, { key: 'one' }), echo, { message: 'hello' })).toMatchObject({
      status: 'success',
    })
  })

  test('gets no call of a run that was cancelled', async () => {
    const standIn = await start()
    const cancelled = new AbortController()
    standIn.otherwise = () => {
      cancelled.abort(new Error('cancelled'))
      return 'never'
    }
    const call = clientWith().callTool(at(standIn), echo, { message: 'hello' }, cancelled.signal)
    expect(await refusalOf(call)).toMatchObject({ message: 'cancelled' })
  })
})
