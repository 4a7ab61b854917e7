import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

/** How a stand-in fails: with a status, or by closing the connection in the middle of its response. */
export type Failure = number | 'cut'

export interface Answer {
  status: number
  body: unknown
}

export interface StandIn {
  /** Its address on the loopback interface. */
  url: string
  /** The requests it received, in order: method, path and body. */
  requests: { method: string; path: string; body: unknown; bytes: number }[]
  /** Makes the next requests fail in these ways, in order. */
  fail(...failures: Failure[]): void
  close(): Promise<void>
}

async function read(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

/** An HTTP server on loopback that responds to requests with the right key; `answer` makes the response. */
export async function standIn(
  allowed: (request: IncomingMessage) => boolean,
  answer: (method: string, path: string, body: never) => Answer,
): Promise<StandIn> {
  const requests: StandIn['requests'] = []
  const failures: Failure[] = []
  const server = createServer(async (request, response) => {
    const bytes = await read(request)
    const { pathname: path } = new URL(request.url!, 'http://stand-in')
    const body = bytes.length > 0 ? JSON.parse(bytes.toString()) : undefined
    requests.push({ method: request.method!, path, body, bytes: bytes.length })
    const failure = failures.shift()
    if (failure === 'cut') {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' }).write('{')
      setImmediate(() => request.socket.destroy())
      return
    }
    const { status, body: told } =
      failure !== undefined
        ? { status: failure, body: { error: 'as told', message: 'as told', status: 'error' } }
        : allowed(request)
          ? answer(request.method!, path, body as never)
          : { status: 401, body: { error: `no such key: ${JSON.stringify(request.headers)}`, status: 'error' } }
    // The libraries wait as long as `retry-after-ms` says before a retry.
    response.writeHead(status, { 'content-type': 'application/json', 'retry-after-ms': '1' })
    response.end(JSON.stringify(told))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    fail: (...more) => failures.push(...more),
    close: () =>
      new Promise<void>((done) => {
        server.close(() => done())
        server.closeAllConnections()
      }),
  }
}

/** The cosine of two vectors. */
export function cosine(one: readonly number[], other: readonly number[]): number {
  const dot = one.reduce((sum, value, at) => sum + value * other[at]!, 0)
  return dot / (Math.hypot(...one) * Math.hypot(...other))
}
