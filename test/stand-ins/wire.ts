import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A request that a stand-in received. */
export interface Asked {
  method: string
  path: string
  headers: IncomingMessage['headers']
  /** The raw body, which signatures cover. */
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests read the fields they expect
  body: any
  /** Resolves once the connection of the response is closed: with false if the client broke it off. */
  closed: Promise<boolean>
}

export interface Answer {
  status: number
  headers?: Record<string, string>
  /** JSON, a text, or the chunks of an event stream; a stream that throws breaks the connection. */
  body?: unknown
}

/** An unusual response: any status, none at all, or a connection closed in the middle. */
export type Otherwise = Answer | 'never' | 'cut'

/** A server with a provider's API, over real HTTP on loopback. */
export interface Server {
  /** Its root, without a path. */
  url: string
  /** The requests it received, in order. */
  asked: Asked[]
  /** Overrides the usual response where it returns one. */
  otherwise: (request: Asked) => Otherwise | undefined
  close(): Promise<void>
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const isStream = (body: unknown): body is AsyncIterable<string | Buffer> =>
  typeof body === 'object' && body !== null && Symbol.asyncIterator in body

async function stream(response: ServerResponse, chunks: AsyncIterable<string | Buffer>): Promise<void> {
  const closed = once(response, 'close')
  try {
    for await (const chunk of chunks) {
      if (response.destroyed) return
      if (!response.write(chunk)) await Promise.race([once(response, 'drain'), closed])
    }
    response.end()
  } catch {
    // What was written arrives first.
    response.socket?.destroySoon()
  }
}

async function send(response: ServerResponse, answer: Otherwise): Promise<void> {
  if (answer === 'never') return
  if (answer === 'cut') {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' })
    response.write('{"object":"list","data":[')
    setImmediate(() => response.destroy())
    return
  }
  const { status, headers = {}, body } = answer
  if (isStream(body)) {
    response.writeHead(status, { 'content-type': 'text/event-stream', ...headers })
    return stream(response, body)
  }
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(typeof body === 'string' ? body : JSON.stringify(body))
}

export async function serve(answerTo: (asked: Asked) => Answer | Promise<Answer>, port = 0): Promise<Server> {
  const standIn: Server = {
    url: '',
    asked: [],
    otherwise: () => undefined,
    async close() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
  const server = createServer(async (request, response) => {
    const { method = '', url: path = '', headers } = request
    // An aborted request is recorded, too.
    const text = await textOf(request).catch(() => '')
    const closed = once(response, 'close').then(() => response.writableFinished)
    const asked = { method, path, headers, text, body: parsed(text), closed }
    standIn.asked.push(asked)
    await send(response, standIn.otherwise(asked) ?? (await answerTo(asked)))
  })
  await new Promise<void>((done) => server.listen(port, '127.0.0.1', done))
  standIn.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return standIn
}
